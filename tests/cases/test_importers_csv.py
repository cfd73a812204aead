"""h07 and its kin: tables as spreadsheets save them."""

from __future__ import annotations

import pytest

from cases.importers import CaseFileError, ImportOptions, open_import
from cases.importers.scan import scan
from tests.cases.importing import answers, read

ROWS = (
    ("id", "input", "actual_output", "retrieval_context"),
    ("q-1", "Mở mấy giờ?", "Lúc 8 giờ;\r\nđóng lúc 17 giờ.", "Giờ mở cửa: 8–17 giờ"),
    ("q-2", 'Is "express" faster?', "Yes, by 2,5 days.", "Express: 2,5 days\tless"),
    ("q-3", "Empty line next", "line one\r\n\r\nline three", "ctx|x"),
)


def as_table(delimiter: str, end: str = "\r\n") -> str:
    quoted = (delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in ROWS)
    return "".join(line + end for line in quoted)


def test_h07_a_spreadsheet_with_vietnamese_settings(shared):
    path = shared / "cases/h07-bom-semicolons-newlines/cases.csv"
    records, refusals, imported = read(path)
    assert (len(records), refusals) == (3, [])
    assert imported.report.columns == ["id", "input", "actual_output", "retrieval_context"]
    assert imported.report.delimiter == ";"
    assert ";\r\n" in records[0].case.actual_output
    assert records[1].case.input == 'Is "express" faster?'
    assert records[1].case.actual_output == "Yes, by 2,5 days."
    assert len(records[2].case.actual_output.splitlines()) == 3


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom"])
def test_the_same_cells_whatever_the_delimiter_and_encoding(write, delimiter, encoding):
    text = as_table(delimiter)
    if encoding == "utf-16-le-bom":
        path = write(b"\xff\xfe" + text.encode("utf-16-le"))
    else:
        path = write(text, encoding=encoding)
    records, refusals, imported = read(path)
    assert refusals == []
    assert imported.report.delimiter == delimiter
    assert imported.report.columns[0] == "id"
    assert [record.case.id for record in records] == ["q-1", "q-2", "q-3"]
    assert [record.case.actual_output for record in records] == [row[2] for row in ROWS[1:]]


def test_the_delimiter_is_known_before_anything_is_stored(write):
    assert scan(write(as_table(";"))).as_dict()["delimiter"] == ";"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end(write, end):
    assert answers(write(f"id,input,actual_output{end}a,Q,A{end}b,Q,B")) == {"a": "A", "b": "B"}


def test_excels_line_that_names_the_separator_is_no_header(write):
    assert answers(write("sep=;\r\nid;input;actual_output\r\na;Q;A, B\r\n")) == {"a": "A, B"}


def test_windows_1252_is_read_and_said(write):
    records, _, imported = read(write("id,input,actual_output\na,Où?,Café à l'été\n", encoding="cp1252"))
    assert records[0].case.actual_output == "Café à l'été"
    assert imported.report.warnings == ["The file is not UTF-8; it was read as Windows-1252. Check the accents below."]


def test_windows_1258_is_told_from_1252_by_its_combining_marks(write):
    # In Windows-1258 a tone is a byte of its own after the vowel: "ổ" is ô and a hook.
    question, answer = "Ha\u0300ng đô\u0309i đươ\u0323c không?", "Đươ\u0323c trong ba\u0309y nga\u0300y."
    path = write(f"id,input,actual_output\na,{question},{answer}\n", encoding="cp1258")
    records, _, imported = read(path)
    assert imported.report.encoding == "cp1258"
    assert (records[0].case.input, records[0].case.actual_output) == (question, answer)


def test_a_torn_byte_costs_its_own_row_alone(write):
    good, torn = "id,input,actual_output\na,Q,được\n".encode(), b"b,Q,\xff\xfe!\n"
    records, refusals, _ = read(write(good + torn + "c,Q,xong rồi\n".encode()))
    assert [record.case.id for record in records] == ["a", "c"]
    assert [(refusal.line, refusal.field) for refusal in refusals] == [(3, "actual_output")]


def test_a_row_with_too_many_cells_is_refused_by_its_line(write):
    records, refusals, _ = read(write('id,input,actual_output\na,"two\nlines",A\nb,Q,A, and more\nc,Q,C\n'))
    assert [record.case.id for record in records] == ["a", "c"]
    assert (refusals[0].line, refusals[0].reason) == (
        4,
        "4 cells, but the header has 3: is a quote missing?",
    )


def test_a_quote_never_closed_is_refused_where_it_opens(write):
    records, refusals, _ = read(write('id,input,actual_output\na,Q,A\nb,"open,B\nc,Q,C\n'))
    assert [record.case.id for record in records] == ["a"]
    assert refusals[0].line == 3
    assert "never closed" in refusals[0].reason


def test_a_short_row_is_kept_and_counted(write):
    records, _, imported = read(write("id,input,actual_output\na,Q\n"))
    assert records[0].case.is_golden
    assert "1 row with fewer cells than the header" in imported.report.warnings


def test_blank_rows_and_a_header_said_again_are_passed_over(write):
    text = "id,input,actual_output\na,Q,A\n,,\n\nid,input,actual_output\nb,Q,B\n"
    records, refusals, imported = read(write(text))
    assert ([record.line for record in records], refusals) == ([2, 6], [])
    assert "1 repeated header passed over" in imported.report.warnings


def test_a_long_context_fits_a_cell(write):
    long = "x" * 200_000  # Python's own limit is 131,072
    records, _, _ = read(write(f"id,input,actual_output,retrieval_context\na,Q,A,{long}\n"))
    assert records[0].case.retrieval_context == (long,)


def test_columns_are_found_by_their_names_in_two_languages(write):
    english = read(write("Case ID,Question,Answer,Ground Truth\na,Q,A,E\n"))[2].report.mapping
    assert english == {
        "Case ID": "id",
        "Question": "input",
        "Answer": "actual_output",
        "Ground Truth": "expected_output",
    }
    vietnamese = read(write("Mã;Câu hỏi;Câu trả lời;Ngữ cảnh\na;Q;A;C\n"))[2].report.mapping
    assert list(vietnamese.values()) == ["id", "input", "actual_output", "retrieval_context"]


def test_a_fields_own_name_goes_before_another_name_for_it(write):
    records, _, imported = read(write("id,question,input,actual_output\na,other,Q,A\n"))
    assert records[0].case.input == "Q"
    assert records[0].case.metadata == {"question": "other"}
    assert imported.report.unknown_columns == ["question"]


def test_a_mapping_goes_before_everything(write):
    path = write("id,input,ask,actual_output\na,no,Q,A\n")
    records, _, _ = read(path, mapping={"ask": "input"})
    assert records[0].case.input == "Q"
    assert records[0].case.metadata == {"input": "no"}


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"quest": "input"}, "There is no column 'quest'. The columns are 'id', 'ask'."),
        ({"ask": "inptu"}, "--map ask=inptu: 'inptu' is no field."),
        ({"ask": "input", "id": "input"}, "Two columns are named for input: 'ask' and 'id'."),
        ({}, "No column is input or actual_output. The columns are 'id', 'ask'."),
    ],
)
def test_a_header_that_fits_nothing_says_what_would(write, mapping, message):
    with pytest.raises(CaseFileError) as error:
        list(open_import(write("id,ask\na,Q\n"), ImportOptions(mapping=mapping)))
    assert message in str(error.value)


def test_unknown_columns_are_kept_letter_for_letter_and_named(write):
    records, _, imported = read(write("id,input,actual_output,cost,cost\na,Q,A,1e5, 007\n"))
    assert records[0].case.metadata == {"cost": "1e5", "cost (5)": " 007"}
    assert "Not fields, kept as metadata: cost, cost (5)" in imported.report.warnings


def test_a_file_of_labels_alone_is_pointed_to_its_command(write):
    with pytest.raises(CaseFileError, match="workbench labels import"):
        read(write("case_id,annotator,label\na,alice,pass\n"))


def test_no_message_tells_where_the_file_lies(write, tmp_path):
    for content in ("", "\0\0\0\0", "PK\x03\x04", "id,ask\na,Q\n"):
        with pytest.raises(CaseFileError) as error:
            read(write(content))
        assert str(tmp_path) not in str(error.value)
    with pytest.raises(CaseFileError) as error:
        read(tmp_path / "absent.csv")
    assert str(error.value) == "The file cannot be opened: No such file or directory."
