"""Excel workbooks for tests."""

import io

import openpyxl


def workbook(rows, *, others=()):
    """Return the bytes of a workbook with these rows on its first sheet, and with further sheets."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for name in others:
        book.create_sheet(name).append(["another", "sheet"])
    book.save(file)
    return file.getvalue()
