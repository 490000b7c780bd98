"""What share of the relevant pages within reach was found, from the chances of what waits.

T    relevant pages found;  n  pages fetched
W    the sum of the chances of the best links that wait, by the regression of forecast.py, times the share of
     the visits so far that fetched a page
U    relevant pages still to come, with those that stand behind what waits

share         = T / (T + E[U])              Quant: Yang, Lewis and Frieder 2021 (arXiv:2106.09871)
log E[U]      = TO_COME . (1, log(W + 1/2), log(T + 1/2), log(n / 100))
log precision = PRECISION . (1, log(W + 1/2))

Quant takes W itself for E[U]: all its documents are at hand. A crawl also finds what its links lead to, and
its best links first, so how much W is worth was fitted. The band of QuantCI is that of independent pages.
Here U is a Poisson count, as in the inhomogeneous Poisson processes of Stevenson and Bin-Hezam 2023
(arXiv:2311.08597), and its mean is uncertain (gamma): a negative binomial. The band of U holds BAND of it
between two quantiles, and the band of the share follows. The weights are fitted like those of forecast.py.
"""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from thresher.core.progress import Forecast, ShareFound

Floats = NDArray[np.float64]

TO_COME = np.array([1.57, 0.19, 0.61, -0.80])
PRECISION = np.array([-1.10, 0.38])
BAND = 0.8
LEAST = 5  # relevant pages found, before any share is claimed
FARTHEST = 20.0  # times the mean: what lies beyond is cut off


def to_come(found: int, promised: float, pages: int) -> tuple[float, float]:
    """Return how many relevant pages are expected still to come, and the precision of that."""
    known = np.array([1.0, log(promised + 0.5), log(found + 0.5), log(pages / 100)])
    return exp(TO_COME @ known), exp(PRECISION @ known[:2])


def capped(forecast: Forecast, found: int, mean: float, precision: float) -> Forecast:
    """Return a forecast that promises no more than can still come, with the share that was found."""
    relevant, (_, most) = min(forecast.relevant, mean), band_of(mean, precision)
    bounds = min(forecast.low, round(relevant)), max(min(forecast.high, most), round(relevant))
    share = share_found(found, mean, precision)
    return Forecast(forecast.pages, forecast.downloads, relevant, *bounds, share)


def share_found(found: int, mean: float, precision: float) -> ShareFound | None:
    """Return the share found where so many pages are expected still to come; None if too few were found."""
    if found < LEAST:
        return None
    low, high = band_of(mean, precision)
    share, least, most = (found / (found + rest) for rest in (mean, high, low))
    return ShareFound(share, min(least, share), max(most, share))


def band_of(mean: float, precision: float) -> tuple[int, int]:
    """Return the two quantiles of a negative binomial between which BAND of it lies."""
    if not mean:
        return 0, 0
    count = np.arange(int(FARTHEST * mean) + 20)
    more = (count + precision) / (count + 1) * mean / (mean + precision)  # P(count + 1) / P(count)
    logs = np.concatenate(([0.0], np.cumsum(np.log(more))))
    up_to = np.cumsum(np.exp(logs - logs.max()))
    low, high = np.searchsorted(up_to / up_to[-1], ((1 - BAND) / 2, (1 + BAND) / 2))
    return int(low), int(high)
