"""Who may see a page: decided before anything is read for it."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import add_never_cache_headers
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from operations.actors import Actor
from operations.roles import Ability, may, person
from operations.web.rendering import htmx_of

type View = Callable[..., HttpResponseBase]


def page(ability: Ability) -> Callable[[View], View]:
    """A page for signed-in people with a role that allows `ability`.

    Anonymous people go to the sign-in and come back; others without the role get the page that
    says so (403). A part of a page never gets a form or another page swapped into it: htmx is told
    to load one. Nothing is kept in a browser's cache.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            response = _refused(request, ability) or view(request, *args, **kwargs)
            add_never_cache_headers(response)
            return response

        return guarded

    return decorate


def user_of(request: HttpRequest) -> User:
    """The signed-in person of a request that `page` let through. Raises PermissionDenied."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def actor_of(request: HttpRequest) -> Actor:
    """The signed-in person as an actor of this request."""
    return person(request.user, request_id=getattr(request, "request_id", ""))


def abilities_of(user: User) -> frozenset[Ability]:
    """All that a person's roles allow."""
    return frozenset(ability for ability in Ability if may(user, ability))


def _refused(request: HttpRequest, ability: Ability) -> HttpResponse | None:
    if not request.user.is_authenticated:
        return _to_sign_in(request)
    if may(request.user, ability):
        return None
    if htmx_of(request):
        return HttpResponseClientRefresh()
    raise PermissionDenied


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    if not htmx_of(request):
        came_from = request.get_full_path() if request.method == "GET" else "/"
        return redirect_to_login(came_from)
    there = redirect_to_login(htmx_of(request).current_url_abs_path or "/")
    return HttpResponseClientRedirect(there.url)
