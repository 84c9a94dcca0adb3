"""The OpenAPI document, corrected where ninja's own says less than is true."""

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from operations.api.answers import JSON_TYPE, PROBLEM_TYPE
from operations.api.bodies import NoMembers

NOTHING = f"#/components/schemas/{NoMembers.__name__}"


class DocumentedAPI(NinjaAPI):
    """Operations by their short names, problem documents by their media type."""

    _document: OpenAPISchema | None = None

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The view's name: `register`, `claim`, `attempts`…"""
        return str(operation.view_func.__name__)

    def get_openapi_schema(self, **given: Any) -> OpenAPISchema:
        """The document, made once: with no body where none is taken."""
        if self._document is None:
            self._document = self._corrected(super().get_openapi_schema(**given))
        return self._document

    def _corrected(self, document: OpenAPISchema) -> OpenAPISchema:
        for methods in document["paths"].values():
            for details in methods.values():
                _correct(details)
        document["components"]["schemas"].pop(NoMembers.__name__, None)
        return document


def _correct(details: dict[str, Any]) -> None:
    if NOTHING in str(details.get("requestBody")):
        del details["requestBody"]
    for status, response in details["responses"].items():
        content = response.get("content", {})
        if int(status) >= 400 and JSON_TYPE in content:
            content[PROBLEM_TYPE] = content.pop(JSON_TYPE)
