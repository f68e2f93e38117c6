"""What is wrong with a value, until somebody knows where it stands."""


class BadValueError(Exception):
    """The value at `place` of a column cannot be kept as its database would keep it; never leaves the reader.

    `complaint` continues "a cell of table t, column c, …"; `is_refusal` says that it is understood but not followed.
    """

    def __init__(self, place: int, complaint: str, *, is_refusal: bool = False) -> None:
        super().__init__(complaint)
        self.place = place
        self.complaint = complaint
        self.is_refusal = is_refusal
