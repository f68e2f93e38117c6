"""The four shapes of generated sources; `rows` is about the number of rows of all tables together."""

from collections.abc import Callable, Sequence

from scripts.benchmarks.tables import GeneratedTable, Values

COUNTRIES = [f"C{number:02d}" for number in range(40)]
STATUSES = ["paid", "shipped", "open", "returned", "cancelled"]
WORDS = ["how", "why", "does", "index", "join", "graph", "slow", "null", "key", "error", "query", "plan", "cache"]

Shape = Callable[[int], Sequence[GeneratedTable]]


def commerce(rows: int) -> list[GeneratedTable]:
    """Customers, products, orders, and order items in order of their orders."""
    make = Values(1)
    customers, products, orders, items = (max(rows * share // 100, 5) for share in (3, 1, 24, 72))
    return [
        GeneratedTable(
            "customer",
            [
                make.key(customers),
                make.name("name", "Customer", customers),
                make.category("country", COUNTRIES, customers),
                make.category("segment", ["consumer", "business", "public"], customers, missing=0.05),
            ],
        ),
        GeneratedTable(
            "product",
            [
                make.key(products),
                make.name("name", "Product", products),
                make.category("category", [f"category {n}" for n in range(20)], products),
                make.amount("price", 200, products),
            ],
        ),
        GeneratedTable(
            "orders",
            [
                make.key(orders),
                make.reference("customer_id", "customer", customers, orders, skew=1.5),
                make.category("status", STATUSES, orders),
                make.day("ordered_on", orders),
                make.amount("total", 900, orders, missing=0.03),
            ],
        ),
        GeneratedTable(
            "item",
            [
                make.key(items),
                make.clustered("order_id", "orders", orders, items),
                make.reference("product_id", "product", products, items, skew=2.0),
                make.integer("quantity", 1, 9, items),
                make.amount("amount", 300, items),
            ],
        ),
    ]


def academic(rows: int) -> list[GeneratedTable]:
    """Institutions, authors, papers, who wrote them, and which paper cites which."""
    make = Values(2)
    institutions, authors, papers, written, cited = (max(rows * share // 200, 5) for share in (1, 20, 40, 79, 60))
    return [
        GeneratedTable(
            "institution",
            [
                make.key(institutions),
                make.name("name", "Institution", institutions),
                make.category("country", COUNTRIES, institutions),
            ],
        ),
        GeneratedTable(
            "author",
            [
                make.key(authors),
                make.name("name", "Author", authors),
                make.reference("institution_id", "institution", institutions, authors, skew=1.3, missing=0.1),
                make.integer("h_index", 0, 90, authors),
            ],
        ),
        GeneratedTable(
            "paper",
            [
                make.key(papers),
                make.words("title", WORDS, 5, papers),
                make.category("venue", [f"Venue {n}" for n in range(60)], papers),
                make.integer("year", 1980, 2024, papers),
                make.integer("pages", 2, 40, papers, missing=0.08),
            ],
        ),
        GeneratedTable(
            "authorship",
            [
                make.key(written),
                make.clustered("paper_id", "paper", papers, written),
                make.reference("author_id", "author", authors, written, skew=1.6),
                make.integer("position", 1, 8, written),
            ],
        ),
        GeneratedTable(
            "citation",
            [
                make.key(cited),
                make.reference("citing_id", "paper", papers, cited),
                make.reference("cited_id", "paper", papers, cited, skew=2.0),
                make.category("kind", ["background", "method", "result"], cited, missing=0.1),
            ],
        ),
    ]


def qa(rows: int) -> list[GeneratedTable]:
    """Users, questions with their tags, answers and comments."""
    make = Values(3)
    users, tags, questions, answers, comments, tagged = (
        max(rows * share // 200, 5) for share in (16, 1, 32, 51, 50, 50)
    )
    return [
        GeneratedTable(
            "users",
            [
                make.key(users),
                make.name("name", "User", users),
                make.integer("reputation", 1, 20_000, users),
                make.category("location", COUNTRIES, users, missing=0.3),
            ],
        ),
        GeneratedTable("tag", [make.key(tags), make.name("name", "tag", tags)]),
        GeneratedTable(
            "question",
            [
                make.key(questions),
                make.reference("user_id", "users", users, questions, skew=1.7, missing=0.02),
                make.words("title", WORDS, 6, questions),
                make.integer("score", -5, 60, questions),
                make.integer("views", 0, 5_000, questions),
                make.category("state", ["answered", "open", "closed"], questions),
            ],
        ),
        GeneratedTable(
            "answer",
            [
                make.key(answers),
                make.reference("question_id", "question", questions, answers, skew=1.2),
                make.reference("user_id", "users", users, answers, skew=2.0),
                make.integer("score", -3, 40, answers),
                make.integer("accepted", 0, 1, answers),
            ],
        ),
        GeneratedTable(
            "comment",
            [
                make.key(comments),
                make.clustered("answer_id", "answer", answers, comments),
                make.reference("user_id", "users", users, comments, skew=1.5, missing=0.05),
                make.integer("length", 5, 600, comments),
            ],
        ),
        GeneratedTable(
            "question_tag",
            [
                make.key(tagged),
                make.clustered("question_id", "question", questions, tagged),
                make.reference("tag_id", "tag", tags, tagged, skew=1.8),
            ],
        ),
    ]


def avs(rows: int) -> list[GeneratedTable]:
    """Suppliers, parts, offers that replace one another in chains, and the history of each offer's price."""
    make = Values(4)
    suppliers, parts, offers, histories, sales = (max(rows * share // 100, 5) for share in (1, 4, 25, 50, 20))
    return [
        GeneratedTable(
            "supplier",
            [
                make.key(suppliers),
                make.name("name", "Supplier", suppliers),
                make.category("country", COUNTRIES, suppliers),
                make.category("rating", ["A", "B", "C"], suppliers, missing=0.1),
            ],
        ),
        GeneratedTable(
            "part",
            [
                make.key(parts),
                make.name("name", "Part", parts),
                make.category("family", [f"family {n}" for n in range(25)], parts),
                make.amount("weight", 40, parts, missing=0.1),
            ],
        ),
        GeneratedTable(
            "offer",
            [
                make.key(offers),
                make.reference("supplier_id", "supplier", suppliers, offers, skew=1.4),
                make.reference("part_id", "part", parts, offers),
                make.reference("replaces_id", "offer", offers, offers, missing=0.6),
                make.category("state", ["valid", "expired", "draft"], offers),
                make.amount("price", 500, offers),
                make.day("valid_from", offers),
            ],
        ),
        GeneratedTable(
            "history",
            [
                make.key(histories),
                make.clustered("offer_id", "offer", offers, histories),
                make.category("event", ["created", "changed", "checked", "withdrawn"], histories),
                make.amount("price", 500, histories, missing=0.05),
                make.day("changed_on", histories),
            ],
        ),
        GeneratedTable(
            "sale",
            [
                make.key(sales),
                make.reference("offer_id", "offer", offers, sales, skew=1.8),
                make.integer("quantity", 1, 50, sales),
                make.amount("amount", 2_000, sales),
            ],
        ),
    ]


SHAPES: dict[str, Shape] = {"commerce": commerce, "academic": academic, "qa": qa, "avs": avs}
