"""Property tests run few examples here, so that the whole directory stays under a second."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "protocol",
    max_examples=15,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("protocol")
