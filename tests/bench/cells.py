"""Figures as cells of tables in markdown; None was not measured."""


def ratio(one, other):
    return one / other if one is not None and other else None


def text(value, digits=None):
    if value is None:
        return "-"
    if digits is None:
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def table(head, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""
