"""The platforms that histories run on."""

from histories.figure_eight import SimulatedFigureEight
from histories.mturk import SimulatedMTurk
from histories.prolific import SimulatedProlific
from histories.simulated_platform import SimulatedPlatform

PLATFORMS: tuple[type[SimulatedPlatform], ...] = (
    SimulatedMTurk,
    SimulatedProlific,
    SimulatedFigureEight,
)
