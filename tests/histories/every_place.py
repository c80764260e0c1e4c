"""The platforms that histories are played on."""

from histories.at_figure_eight import AtFigureEight
from histories.at_mturk import AtMTurk
from histories.at_prolific import AtProlific
from histories.places import Place

PLACES: tuple[type[Place], ...] = (AtMTurk, AtProlific, AtFigureEight)
