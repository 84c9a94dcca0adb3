"""Every fault that is planted."""

from tests.campaigns.sabotage import (
    faults_of_evidence,
    faults_of_lookups,
    faults_of_sending,
)
from tests.campaigns.sabotage.fault import TESTS, Fault

FAULTS: tuple[Fault, ...] = (
    *faults_of_sending.FAULTS,
    *faults_of_evidence.FAULTS,
    *faults_of_lookups.FAULTS,
)

__all__ = ["FAULTS", "TESTS", "Fault"]
