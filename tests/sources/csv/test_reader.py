"""The CSV reader against a plain state machine, Python's csv module, and hostile files."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.errors import (
    CsvHeaderInvalidError,
    CsvInvalidError,
    GraphwrightError,
    InvalidOptionError,
    SourceEmptyError,
    SourceEncodingError,
    SourceFormatError,
    SourceLimitError,
)
from app.sources.csv.reader import CsvRows, checked_delimiter, csv_text, first_rows, read_csv, row_count
from app.sources.csv.scanner import MAX_COLUMNS, MAX_FIELD_BYTES, CsvText
from app.sources.files.input_file import InputFile
from app.sources.load import load_source
from tests.sources.csv.reference import Fault, read

CELLS = st.text(st.sampled_from('ab0 ,;"\r\n\té🙂'), max_size=6)
RAGGED = st.text(st.sampled_from('a0,;"\r\né'), max_size=40)
BLOCKS = st.sampled_from([1, 2, 3, 7, 4096])


def text_of(content: str | bytes, delimiter: str = ",") -> CsvText:
    return CsvText("x.csv", content if isinstance(content, bytes) else content.encode(), 0, delimiter)


def rows_of(read: CsvRows) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_list() for column in read.columns), strict=True))


def written(path: Path, content: str | bytes) -> InputFile:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return InputFile.open(path, 2**40)


@given(
    st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=12)),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from([",", ";", "\t"]),
    BLOCKS,
)
def test_what_pythons_writer_writes_is_read_as_it_was(
    rows: list[list[str]], quoting: int, delimiter: str, block_bytes: int
) -> None:
    names = [f"c{place}" for place in range(len(rows[0]) if rows else 2)]
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=quoting, delimiter=delimiter)  # type: ignore[arg-type]
    writer.writerows([names, *rows])

    found = read_csv(text_of(out.getvalue(), delimiter), 1_000, block_bytes=block_bytes)

    assert list(found.names) == names
    assert rows_of(found) == [tuple(row) for row in rows]
    assert found.row_count == len(rows)
    whole = replace(text_of(out.getvalue(), delimiter), has_header=False)
    assert rows_of(read_csv(whole, 1_000, block_bytes=block_bytes)) == [tuple(names), *map(tuple, rows)]
    for column in found.columns:
        texts = column.texts.objects().tolist()
        assert len(set(texts)) == len(texts)


@example('"\n', ",", 1)
@example('"a"b"\n', ",", 1)
@example('""""\r\n"', ",", 2)
@given(RAGGED, st.sampled_from([",", ";"]), BLOCKS)
def test_any_text_is_read_or_refused_as_rfc_4180_says(body: str, delimiter: str, block_bytes: int) -> None:
    for header in ("h\n", f"h{delimiter}i\r\n"):
        expected = read(header + body, delimiter)
        text = text_of(header + body, delimiter)
        if isinstance(expected, Fault):
            with pytest.raises(CsvInvalidError, match=expected.kind) as caught:
                read_csv(text, 1_000, block_bytes=block_bytes)
            assert (caught.value.where["record"], caught.value.where["line"]) == (expected.record, expected.line)
        else:
            assert rows_of(read_csv(text, 1_000, block_bytes=block_bytes)) == [tuple(record) for record in expected[1:]]


@given(st.lists(st.tuples(CELLS, CELLS), max_size=20), st.integers(0, 25))
def test_first_rows_are_the_first_of_all_rows(rows: list[tuple[str, str]], count: int) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("a", "b"), *rows])

    assert rows_of(first_rows(text_of(out.getvalue()), count)) == rows[:count]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_a_file_without_a_header_is_empty(content: bytes) -> None:
    with pytest.raises(SourceEmptyError, match=r"x\.csv is empty: it has no header"):
        read_csv(CsvText("x.csv", content, len(content)), 10)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("a,b,a", r'column "a" is there twice \(positions 1 and 3\)'),
        ("id,Name,name", r'"Name" and "name" \(positions 2 and 3\) are one column for SQLite'),
        ("a, ,c", "column 2 has no name"),
        ("\n", "column 1 has no name"),
        ("a,b,", "column 3 has no name"),
        ("a," + "b" * 1_001, "name of column 2 has more than 1,000 characters"),
    ],
)
def test_headers_name_each_column_once(header: str, message: str) -> None:
    with pytest.raises(CsvHeaderInvalidError, match=message):
        read_csv(text_of(header + "\n1,2,3\n"), 10)


def test_letters_beyond_ascii_keep_their_case() -> None:
    assert read_csv(text_of("Ä,ä, x\n"), 10).names == ("Ä", "ä", " x")


def test_rows_are_counted_before_they_are_kept() -> None:
    text = text_of("a\n1\n2\n3\n")

    assert read_csv(text, 3).row_count == 3
    with pytest.raises(SourceLimitError, match="more than 2 rows"):
        read_csv(text, 2)


def test_a_blank_line_says_so() -> None:
    with pytest.raises(CsvInvalidError, match=r"record 2 \(line 3\): 1 field, 2 expected, for the line is blank"):
        read_csv(text_of("a,b\n1,2\n\n3,4\n"), 10)
    assert rows_of(read_csv(text_of("a\n1\n\n2\n\n"), 10)) == [("1",), ("",), ("2",), ("",)]


@pytest.mark.parametrize("end", ["\n\n", "\n\n\n", "\r\n\r\n", "\r\n\n\r\n\n", "\n\r\n\n" * 3_000])
@pytest.mark.parametrize("block_bytes", [1, 4096])
def test_blank_lines_at_the_end_are_no_records(end: str, block_bytes: int) -> None:
    assert rows_of(read_csv(text_of("a,b\n1,2" + end), 10, block_bytes=block_bytes)) == [("1", "2")]
    assert rows_of(read_csv(text_of("a,b" + end), 10, block_bytes=block_bytes)) == []
    assert row_count(text_of("a,b\n1,2" + end)) == 1
    assert first_rows(text_of("a,b\n1,2" + end), 5).row_count == 1


def test_without_a_header_the_first_record_is_one_like_the_others() -> None:
    text = replace(text_of("1,Goroka\n2,Madang\n\n"), has_header=False)
    found = read_csv(text, 10)

    assert found.names == ("column_1", "column_2")
    assert rows_of(found) == [("1", "Goroka"), ("2", "Madang")]
    assert (found.header_doubt, row_count(text)) == (None, 2)
    assert rows_of(first_rows(text, 1)) == [("1", "Goroka")]
    with pytest.raises(SourceEmptyError, match="it has no record"):
        read_csv(replace(text_of(""), has_header=False), 10)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2\n3\n", r"record 2 \(line 2\): 1 field, 2 expected \(as in record 1, for header is false\)"),
        ('1,a"\n', r"record 1 \(line 1\): a quote within a field"),
        ('1,2\n3,a"\n', r"record 2 \(line 2\): a quote within a field"),
    ],
)
def test_without_a_header_records_are_counted_from_the_first_line(content: str, message: str) -> None:
    with pytest.raises(CsvInvalidError, match=message):
        read_csv(replace(text_of(content), has_header=False), 10)


@pytest.mark.parametrize(
    ("content", "doubt"),
    [
        ("1,Goroka\n2,Madang\n", 'the name "1" is a number'),
        ("a,-1.5e3\nb,2\n", 'the name "-1.5e3" is a number'),
        ("AD,2008-04-30\nAE,2008-04-30\n", 'the name "2008-04-30" stands in its column as well'),
        ("1\n", 'the name "1" is a number'),
        ("id,name\n1,id\n", None),
        ("col1,1st,v1.0\n1,2,3\n", None),
    ],
)
def test_a_header_that_looks_like_a_record_is_doubted(content: str, doubt: str | None) -> None:
    assert read_csv(text_of(content), 10).header_doubt == doubt


def test_ten_thousand_columns_are_too_many() -> None:
    names = ",".join(f"c{place}" for place in range(10_000))

    with pytest.raises(SourceLimitError, match=f"10,000 columns; the limit is {MAX_COLUMNS:,}"):
        read_csv(text_of(names + "\n"), 10)


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_line_of_a_hundred_megabytes(quote: str) -> None:
    content = f"a,b\n1,{quote}".encode() + b"x" * 100_000_000

    with pytest.raises(SourceLimitError, match=rf"record 1 .*{MAX_FIELD_BYTES:,} bytes"):
        read_csv(text_of(content), 10)


def test_a_quote_that_opens_early_and_never_closes() -> None:
    content = 'a,b\n1,"' + "2\n" * 3_000_000

    with pytest.raises(CsvInvalidError, match=r"opened in record 1 \(line 2\) is never closed; 0 rows kept"):
        read_csv(text_of(content), 10)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n".encode("utf-16"), r"UTF-16 text: byte 0xFF at offset 0"),
        ("a,b\n1,2\n".encode("utf-16-be"), r"UTF-16 text without a byte order mark: NUL byte at offset 0"),
        ("a,b\n1,2\n".encode("utf-16-le"), r"UTF-16 text without a byte order mark: NUL byte at offset 1"),
        ("a,b\n1,2\n".encode("utf-32"), r"UTF-32 text: byte 0xFF at offset 0"),
        (b"\xef\xbb\xbfa,b\n1,\xe9\n", r"byte 0xE9 at offset 9 \(line 2\)"),
        (b"x" * (4 * 2**20 - 1) + "é".encode() + b"\n\xff", r"byte 0xFF at offset 4194306 \(line 2\)"),
        (b"x" * (4 * 2**20 - 1) + b"\xc3", r"byte 0xC3 at offset 4194303 \(line 1\)"),
        (b"a,b\n1,2\n3,\0\n", r"NUL byte at offset 10 \(line 3\)"),
    ],
)
def test_only_utf_8_is_read(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(SourceEncodingError, match=message):
        csv_text(written(tmp_path / "x.csv", content))


@pytest.mark.parametrize(
    ("content", "kind"), [(b"PK\x03\x04\x14\0", "ZIP archive"), (b"\x1f\x8b\x08", "gzip"), (b"%PDF-1.7", "PDF")]
)
def test_other_formats_are_named(tmp_path: Path, content: bytes, kind: str) -> None:
    with pytest.raises(SourceFormatError, match=kind):
        csv_text(written(tmp_path / "x.csv", content))


@given(st.binary(max_size=60), st.sampled_from([".csv", ".txt", ".tsv"]), st.sampled_from([b"", b"a,b\n", b"a\tb\n"]))
def test_any_bytes_are_a_source_or_an_error_by_name(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str, header: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"x{suffix}"
    path.write_bytes(header + content)
    try:
        source = load_source(path)
    except GraphwrightError as error:
        found, said = error.code, error.hint
    else:
        found, said = "source_read", "all of it"
        assert all(len(column) == source.row_count for column in source.tables["x"].columns.values())
    assert found.startswith(("csv_", "source_"))
    assert said


@pytest.mark.parametrize("value", ["", ",,", '"', "\n", "\r", "\0", "é", 1, None, True])
def test_a_delimiter_is_one_character(value: object) -> None:
    with pytest.raises(InvalidOptionError, match="delimiter must be one ASCII character"):
        checked_delimiter(value)


@pytest.mark.parametrize(
    ("content", "delimiter", "likely"),
    [
        ("id;name\n1;Ann\n2;Bob\n", ",", ";"),
        ("id\tname\n1\tAnn\n", ",", "\t"),
        ("id|name\n", ",", "|"),
        ("id,name\n1,Ann\n", ";", ","),
        ("id;name\n1;Ann\nBob\n", ",", None),
        ("id\n1;2\n", ",", None),
        ("id,a;b\n1,2;3\n", ",", None),
    ],
)
def test_another_delimiter_is_named_where_all_rows_have_it(content: str, delimiter: str, likely: str | None) -> None:
    assert read_csv(text_of(content, delimiter), 10).likely_delimiter == likely


@pytest.mark.parametrize(
    ("content", "advised"),
    [
        ("id;price\n1;2,50\n", 'If ";" separates the fields, set the option delimiter to ";". Else each record'),
        ("id\tprice\n1\t2,50\n", 'If tabs separate the fields, set the option delimiter to "\\t". Else each record'),
        (
            'id;name\n1;"Muster; A"\n',
            'If ";" separates the fields, set the option delimiter to ";". Else put the whole',
        ),
        ('"id";"name"\n"1";"A"\n', 'If ";" separates the fields, set the option delimiter to ";". Else write each'),
        ('"Name, first"|City\n', 'If "|" separates the fields, set the option delimiter to "|". Else write each'),
        ('id,name\n1, "A"\n', "Put the whole field"),
        ("id\n1,2\n", "Each record needs"),
        ("id,a;b\n1\n", "Each record needs"),
    ],
)
def test_a_wrong_width_names_a_delimiter_of_the_header(content: str, advised: str) -> None:
    with pytest.raises(CsvInvalidError) as caught:
        read_csv(text_of(content), 10)

    assert caught.value.hint.startswith(advised)
