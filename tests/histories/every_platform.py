"""The platforms that histories are played on."""

from histories.figure_eight import SimulatedFigureEight
from histories.mturk import SimulatedMTurk
from histories.prolific import SimulatedProlific
from histories.simulated_platform import SimulatedPlatform

PLATFORMS: tuple[type[SimulatedPlatform], ...] = (
    SimulatedMTurk,
    SimulatedProlific,
    SimulatedFigureEight,
)
