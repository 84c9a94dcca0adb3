"""The small faults that are planted: mutmut's, and a few that it lacks.

mutmut's own runner leaves out what stands outside functions and in properties, and the protocol's
tables stand there. So its operators are used here, over the whole of a module.
"""

from collections.abc import Iterator, Sequence

import libcst as cst
from mutmut.mutation.mutators import (
    mutation_operators,
    operator_arg_removal,
    operator_assignment,
)

TRUE, FALSE = cst.Name("True"), cst.Name("False")

# What was in the source, and what is put in its place.
type Change = tuple[cst.CSTNode, cst.CSTNode]


def changes_of(node: cst.CSTNode) -> Iterator[Change]:
    """Every single change to this node itself; those to its children are theirs."""
    for sort, operator in mutation_operators:
        if isinstance(node, sort):
            for changed in operator(node):
                if not _is_for_mypy(node, changed, operator):
                    yield node, changed
    for own in (_one_less, _forced, _operand_alone, _without_one, _left_out):
        yield from own(node)


def _is_for_mypy(node: cst.CSTNode, changed: cst.CSTNode, operator: object) -> bool:
    """Faults of types alone, which `make lint` refuses: `is_stale: bool = None`, and a call that
    lacks an argument by position."""
    if operator is operator_arg_removal and isinstance(node, cst.Call):
        gone = {id(each) for each in node.args} - {id(each) for each in changed.args}
        lost = [each for each in node.args if id(each) in gone]
        return len(changed.args) < len(node.args) and lost[0].keyword is None
    return isinstance(node, cst.AnnAssign) and operator is operator_assignment


def _one_less(node: cst.CSTNode) -> Iterator[Change]:
    """mutmut adds one to a number; a limit has two sides."""
    if isinstance(node, cst.Integer):
        yield node, cst.Integer(str(node.evaluated_value - 1)) if node.evaluated_value else _MINUS_1


_MINUS_1 = cst.UnaryOperation(
    operator=cst.Minus(),
    expression=cst.Integer("1"),
    lpar=[cst.LeftParen()],
    rpar=[cst.RightParen()],
)


def _forced(node: cst.CSTNode) -> Iterator[Change]:
    """A condition that always holds, and one that never does."""
    if isinstance(node, cst.If | cst.CompIf):
        yield node.test, TRUE
        yield node.test, FALSE


def _operand_alone(node: cst.CSTNode) -> Iterator[Change]:
    """`a and b` asks for one of the two only."""
    if isinstance(node, cst.BooleanOperation):
        for operand in (node.left, node.right):
            yield node, operand.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _without_one(node: cst.CSTNode) -> Iterator[Change]:
    """A table, a set or a list that lacks one of its elements."""
    if isinstance(node, cst.List | cst.Set | cst.Tuple | cst.Dict):
        for index in range(len(node.elements)):
            yield node, _display(node, [*node.elements[:index], *node.elements[index + 1 :]])


def _display(node: cst.CSTNode, elements: Sequence[cst.CSTNode]) -> cst.CSTNode:
    if isinstance(node, cst.Set) and not elements:
        return cst.parse_expression("set()")
    spaced = [
        each.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        for each in elements
    ]
    if isinstance(node, cst.Tuple):
        return cst.Tuple(spaced)
    return type(node)(spaced)


def _left_out(node: cst.CSTNode) -> Iterator[Change]:
    """A statement that does something is not carried out."""
    acts = (cst.Call, cst.Yield)
    is_act = isinstance(node, cst.Expr) and isinstance(node.value, acts)
    if is_act or isinstance(node, cst.AugAssign | cst.Del | cst.Raise):
        yield node, cst.Pass()
