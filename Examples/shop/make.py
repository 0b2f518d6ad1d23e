#!/usr/bin/env python3
"""Makes up the products of a shop and their pictures: Examples/shop/make.py DIRECTORY

The directory gets products.jsonl, with 6,000 products, and pictures, with a drawing for each kind and colour. The
products are the same ones each time, and all names and drawings are made here. --pictures URL is the address of the
pictures, by default relative to a page in a folder beside them.
"""

import argparse
import json
import pathlib
import random

# Each kind: its category, its price in euros, its drawing on a field of 200 by 200. {c} is the colour of a product.
LINE = 'fill="none" stroke="{c}" stroke-width="9" stroke-linecap="round" stroke-linejoin="round"'
KINDS = {
    "Desk lamp": ("Lighting", 49, '<path d="M62 166h84M112 166L136 104 92 62" {l}/><path d="M42 96l22-56 48 34z" fill="{c}"/>'),
    "Floor lamp": ("Lighting", 119, '<path d="M100 76v92M70 168h60" {l}/><path d="M62 78l14-44h48l14 44z" fill="{c}"/>'),
    "Pendant lamp": ("Lighting", 89, '<path d="M100 20v56" {l}/><path d="M50 122q0-48 50-48t50 48z" fill="{c}"/>'),
    "Desk chair": ("Seating", 189, '<path d="M70 40v68h62M101 108v34M70 164l31-22 31 22" {l}/><path d="M62 36h18v70H62z" fill="{c}"/>'),
    "Armchair": ("Seating", 349, '<path d="M58 44h84v58H58z" fill="{c}"/><path d="M44 84v62h112V84M62 146v20M138 146v20" {l}/>'),
    "Stool": ("Seating", 59, '<path d="M68 92l-14 72M132 92l14 72M62 130h76" {l}/><path d="M52 72h96v20H52z" fill="{c}"/>'),
    "Sofa": ("Seating", 799, '<path d="M46 64h108v46H46z" fill="{c}"/><path d="M30 92v54h140V92M50 146v18M150 146v18" {l}/>'),
    "Bookcase": ("Storage", 149, '<path d="M50 36v128M150 36v128M50 60h100M50 104h100M50 148h100" {l}/><path d="M62 70h14v28H62zM80 76h12v22H80zM108 116h30v26h-30z" fill="{c}"/>'),
    "Shelf": ("Storage", 29, '<path d="M40 112h120M60 112v26M140 112v26" {l}/><path d="M66 72h18v34H66zM90 82h14v24H90zM112 66h22v40h-22z" fill="{c}"/>'),
    "Sideboard": ("Storage", 429, '<path d="M36 72h128v70H36z" fill="{c}"/><path d="M36 72h128v70H36zM100 72v70M52 142v22M148 142v22" {l}/>'),
    "Side table": ("Tables", 79, '<path d="M100 84v70M72 164q28-22 56 0" {l}/><path d="M48 70h104v16H48z" fill="{c}"/>'),
    "Writing desk": ("Tables", 259, '<path d="M42 82v82M158 82v82" {l}/><path d="M34 66h132v18H34zM104 84h48v26h-48z" fill="{c}"/>'),
    "Dining table": ("Tables", 549, '<path d="M58 90l-12 74M142 90l12 74" {l}/><path d="M26 72h148v18H26z" fill="{c}"/>'),
    "Mug": ("Kitchen", 12, '<path d="M58 62h70v90q0 10-10 10H68q-10 0-10-10z" fill="{c}"/><path d="M130 82h12q16 0 16 22t-16 22h-12" {l}/>'),
    "Teapot": ("Kitchen", 39, '<path d="M60 92h84q6 66-42 66T60 92z" fill="{c}"/><path d="M58 110q-22-2-28-26M146 104q26 0 18 24-8 16-26 16M102 92V78M76 92h52" {l}/>'),
    "Vase": ("Kitchen", 34, '<path d="M82 70h36q-6 26 14 46 10 46-32 46t-32-46q20-20 14-46z" fill="{c}"/><path d="M100 66V34M100 48l-20-14M100 52l22-16" {l}/>'),
    "Cushion": ("Textiles", 24, '<path d="M50 54q50 14 100 0-14 46 0 92-50-14-100 0 14-46 0-92z" fill="{c}"/>'),
    "Wool rug": ("Textiles", 229, '<path d="M42 58h116v84H42z" fill="{c}"/><path d="M42 58v84M158 58v84M30 66h12M30 100h12M30 134h12M158 66h12M158 100h12M158 134h12" {l}/>'),
    "Wall clock": ("Decoration", 45, '<circle cx="100" cy="100" r="62" fill="{c}" fill-opacity=".25"/><circle cx="100" cy="100" r="62" {l}/><path d="M100 62v38l26 16" {l}/>'),
    "Mirror": ("Decoration", 99, '<ellipse cx="100" cy="94" rx="48" ry="62" fill="{c}" fill-opacity=".25"/><ellipse cx="100" cy="94" rx="48" ry="62" {l}/><path d="M78 92l32-32M84 112l40-40" {l}/>'),
}
COLOURS = {
    "terracotta": "#b5533a", "moss": "#5f7a4d", "slate": "#4a6076", "ochre": "#b88a2b", "plum": "#7a4a78", "sea": "#2f7f86",
    "charcoal": "#44484c", "rose": "#c2748a",
}
BRANDS = ["Lumen", "Oakline", "Norde", "Kobalt", "Atelier Brun", "Haus & Hof", "Søndag", "Café Noir", "Kastanie", "Morrow"]
LINES = ["Air", "Alba", "Arc", "Bergen", "Delta", "Fjord", "Gaia", "Juno", "Kite", "Luna", "Mono", "Nest", "Oslo", "Piano",
         "Quint", "Riva", "Solo", "Terra", "Uma", "Vega", "Wave", "Zen"]
MATERIALS = {
    "Lighting": ["steel", "brass", "paper", "glass"], "Kitchen": ["stoneware", "porcelain", "glass"],
    "Textiles": ["linen", "wool", "cotton"],
}
WOODS = ["oak", "ash", "beech", "steel", "recycled plastic"]


def picture(kind, colour, is_detail):
    """A drawing of a kind in a colour; the detail is nearer."""
    _, _, drawing = KINDS[kind]
    ink = COLOURS[colour]
    box = "40 40 120 120" if is_detail else "0 0 200 200"
    line = LINE.replace("{c}", ink)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="200" height="200">'
            f'<path d="M0 0h200v200H0z" fill="#fff"/><path d="M0 0h200v200H0z" fill="{ink}" fill-opacity=".12"/>'
            + drawing.replace("{l}", line).replace("{c}", ink) + "</svg>\n")


def names():
    """The addresses of the pictures below their folder, and their texts."""
    for kind in KINDS:
        for colour in COLOURS:
            for is_detail in (False, True):
                name = f"{kind}-{colour}{'-detail' if is_detail else ''}.svg".lower().replace(" ", "-")
                yield kind, colour, is_detail, name


def products(count, pictures):
    made = random.Random(54)
    files = {(kind, colour, is_detail): pictures + name for kind, colour, is_detail, name in names()}
    for number in range(count):
        kind, colour = made.choice(list(KINDS)), made.choice(list(COLOURS))
        category, price, _ = KINDS[kind]
        brand, line, material = made.choice(BRANDS), made.choice(LINES), made.choice(MATERIALS.get(category, WOODS))
        cents = round(price * made.uniform(0.6, 1.8)) * 100 - made.choice([0, 1, 5, 10, 50])
        yield {
            "sku": f"{kind[:2].upper()}-{number:05}", "name": f"{kind} {line}, {colour}", "brand": brand,
            "category": category, "colour": colour, "material": material, "price": f"{cents / 100:.2f}",
            "rating": made.randint(25, 50) / 10, "stock": made.choice([0, made.randint(1, 9), made.randint(10, 90)]),
            "added": f"202{made.randint(3, 6)}-{made.randint(1, 12):02}-{made.randint(1, 28):02}",
            "sold": int(made.paretovariate(1.2) * 10),
            "text": f"Made of {material} in {colour}, to last. {brand} repairs it for ten years.",
            "images": [files[kind, colour, False], files[kind, colour, True]] if number % 40 else [],
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--pictures", default="../pictures/", metavar="URL")
    parser.add_argument("--count", type=int, default=6000)
    options = parser.parse_args()
    (options.directory / "pictures").mkdir(parents=True, exist_ok=True)
    for kind, colour, is_detail, name in names():
        (options.directory / "pictures" / name).write_text(picture(kind, colour, is_detail))
    with open(options.directory / "products.jsonl", "w", encoding="utf-8") as file:
        for product in products(options.count, options.pictures):
            file.write(json.dumps(product, ensure_ascii=False) + "\n")
    print(f"{options.count:,} products in {options.directory / 'products.jsonl'}")


if __name__ == "__main__":
    main()
