"""The vocabulary of the demo: goods, people and reasons."""

SKUS = (
    "vanilla",
    "cocoa-nibs-1kg",
    "oat-flour-5kg",
    "cardamom-pods-250g",
    "demerara-10kg",
    "espresso-beans-1kg",
    "almond-paste-2kg",
    "sea-salt-flakes-500g",
    "paper-cups-12oz",
    "gift-box-m",
    "rye-malt-25kg",
    "lemon-oil-100ml",
)

ORDER_GOALS = (
    "Refill {sku} in Utrecht before Friday's baking.",
    "Keep two weeks of {sku} in stock at Lyon.",
    "Cover the shortfall of {count} {sku} from the stock count.",
    "Replace the {sku} that arrived damaged.",
    "Prepare the autumn campaign: {count} {sku} at Ghent.",
)

REFUND_REASONS = (
    "damaged in transit",
    "arrived after the promised day",
    "wrong item in the parcel",
    "cancelled before dispatch",
    "charged twice",
    "returned within 30 days",
)
REFUND_GOAL = "Refund order {order}: {reason}."

CUSTOMERS = (
    ("Ines Marchetti", "ines.marchetti@example.com"),
    ("Jonas Vermeer", "jonas.vermeer@example.net"),
    ("Aylin Kaya", "aylin.kaya@example.org"),
    ("Tomáš Novák", "tomas.novak@example.com"),
    ("Siobhán O'Leary", "siobhan.oleary@example.net"),
    ("Minh Trần", "minh.tran@example.org"),
    ("Łucja Wiśniewska", "lucja.wisniewska@example.com"),
)

EMAILS = (
    (
        "Your order {order} is on its way",
        "Dear {name},\n\nwe handed order {order} to the carrier this morning.\n\nThe shop",
        "Tell the customer that the parcel left.",
    ),
    (
        "A delay with {order}",
        "Dear {name},\n\norder {order} will leave two days later than promised. We are sorry.\n",
        "Warn the customer before the promised day is over.",
    ),
    (
        "Your refund for {order}",
        "Dear {name},\n\nyour refund for order {order} was handed to the bank.\n",
        "Close the return with a word to the customer.",
    ),
    (
        "About your question on {order}",
        "Dear {name},\n\nyes, {order} can still be changed until tonight.\n",
        "Answer the open ticket within the day.",
    ),
)
