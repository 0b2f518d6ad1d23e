"""Files of public lists in small: their headers and forms, with values made up here."""

import io
import json
import zipfile

NAMES = [
    "Quince Harbour", "Plum Ridge", "Fig Hollow", "Almond Bay", "Birch Mills", "Cedar Grove", "Damson Lea", "Elder Falls",
    "Fennel Marsh", "Ginger Cross", "Hazel Point", "Ivy Bridge", "Juniper Hill", "Kestrel Down", "Larch Ferry",
    "Maple Quay", "Nettle Combe", "Olive Spring", "Poplar End", "Rowan Gate",
]


def code(number, size=3):
    """A code of capitals."""
    return "".join(chr(65 + (number * step + step) % 26) for step in (1, 3, 7, 9, 11)[:size])


def table(header, row, sign=",", quoted=()):
    """A table of 20 rows; `row` returns the cells of one."""
    lines = [] if header is None else [header]
    for number, name in enumerate(NAMES):
        cells = [str(cell) for cell in row(number, name)]
        lines.append(sign.join('"' + cell + '"' if sign in cell and sign != "\t" else cell for cell in cells))
    return "\n".join(lines) + "\n"


def objects(row):
    return json.dumps([row(number, name) for number, name in enumerate(NAMES)], ensure_ascii=False)


def archive(name, content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(name, content)
    return file.getvalue()


def point(number):
    return [round(8 + number / 7, 3), round(47 - number / 9, 3)]


def feature(number, name):
    return {
        "type": "Feature", "id": f"us{number}00a",
        "properties": {"mag": 1 + number / 10, "place": f"{number + 3} km N of {name}", "time": 1700000000 + number,
                       "url": f"https://quakes.example/{number}", "magType": "ml", "type": "earthquake", "code": f"{number}0a"},
        "geometry": {"type": "Point", "coordinates": point(number) + [4.5]}}


def topology():
    geometries = [{"type": "Polygon", "arcs": [[number]], "id": 1000 + number} for number in range(20)]
    return json.dumps({
        "type": "Topology", "transform": {"scale": [1, 1], "translate": [0, 0]},
        "objects": {"land": {"type": "MultiPolygon", "arcs": [[[0]]]},
                    "counties": {"type": "GeometryCollection", "geometries": geometries}}, "arcs": [[[0, 0], [1, 1]]]})


def films():
    return objects(lambda n, name: {"Title": None if n == 7 else name, "US Gross": 1000 * n, "MPAA Rating": "PG", "Director": None})


def cities(n, name):
    return {"geonameid": 3000 + n, "name": name, "latitude": 1.5 + n, "countrycode": "AX", "population": 100 * n,
            "alternatenames": [name.upper(), "Alt " + name] if n % 2 == 0 else []}


def brands(n, name):
    return {"displayName": name, "id": f"{code(n)}-{n}a", "locationSet": {"include": ["001"]},
            "tags": {"brand": name, "name": name, "shop": "supermarket"}}


def entries(row, keys=lambda n: str(3000 + n)):
    return json.dumps({keys(n): row(n, name) for n, name in enumerate(NAMES)}, ensure_ascii=False)


def provinces():
    four = [NAMES[at:at + 5] for at in range(0, 20, 5)]
    return json.dumps({f"Province {at}": {f"City {at}": names[:3], "Environs": names[3:]} for at, names in enumerate(four)})


def nested():
    return objects(lambda n, name: {"code": f"{n + 11}", "name": name, "children": [{"code": f"{n}01", "name": "Ward " + code(n)}]})


def labels(common):
    return "".join(f"{genus.title()} {code(n, 5).lower()}_{common} {n}\n" for n, genus in enumerate(name.split()[0] for name in NAMES))


def edict():
    lines = ["　？？？ /MADE, MADE-UP Dictionary Files/"] + [f"かな{'あいうえお'[n % 5]} [かな] /(n) {name}, made up/" for n, name in enumerate(NAMES)]
    return ("\n".join(lines) + "\n").encode("euc-jp")


def zones():
    rows = "".join(f"{code(n, 2)}\t+{1000 + n}+{20000 + n}\tEurope/{name.replace(' ', '_')}{chr(9) + 'all of it' if n % 3 == 1 else ''}\n" for n, name in enumerate(NAMES))
    return "# made up\n#\n#codes\tcoordinates\tTZ\tcomments\n" + rows


def letters():
    return "".join(f"{0x41 + n:04X};{name.upper()};Lu;0;L;;;;;N;;;;{0x61 + n:04X};\n" for n, name in enumerate(NAMES))


AIRPORTS = "ident,name,city,subd,country,elevation,lat,lon,tz"
STREETS = "code,name,areaCode,provinceCode,cityCode"
SUFFIXES = "// Made up.\n// See https://lists.example/.\n\n// ===BEGIN===\n" + "".join(f"{name.split()[0].lower()}.{code(n, 2).lower()}\n" for n, name in enumerate(NAMES))

# The name of a file, its content, a text that a person types, and a part of the record's line.
FILES = [
    ("navaids.csv", table("id,filename,ident,name,type,frequency_khz", lambda n, name: [n, f"{name}_NDB_AX", code(n), name, "NDB", 300 + n]), "plum", "Plum Ridge"),
    ("regions.csv", table("id,code,local_code,name,continent,iso_country,wikipedia_link", lambda n, name: [n, "AX-" + code(n, 2), code(n, 2), name, "EU", "AX", "https://w.example/" + code(n)]), "plum", "Plum Ridge"),
    ("runways.csv", table("id,airport_ref,airport_ident,length_ft,width_ft,surface,lighted", lambda n, name: [n, 6000 + n, "K" + code(n), 80 + n, 80, "ASPH", 1]), "kbd", "KBDH"),
    ("airports.csv", table(AIRPORTS, lambda n, name: ["K" + code(n), name, name.split()[0], "Made", "AX", n, n + 1.5, n - 1.5, "Europe/Made"]), "plum", "Plum Ridge"),
    ("vega-airports.csv", table("iata,name,city,state,country,latitude,longitude", lambda n, name: [code(n), name, name, "AK", "USA", n + 1.5, n - 1.5]), "plum", "Plum Ridge"),
    ("stations.json", objects(lambda n, name: {"stationName": name, "lat": n + 1.5, "long": n - 1.5, "crsCode": code(n)}), "plum", "Plum Ridge"),
    ("stations.csv", table("stationName,lat,long,crsCode", lambda n, name: [name, n + 1.5, n - 1.5, code(n)]), "plum", "Plum Ridge"),
    ("station20free.csv", table("station_cd,station_g_cd,station_name,station_name_k,line_cd,post", lambda n, name: [111 + n, 222 + n, name, "", 11, f"{n:03}-0001"]), "plum", "Plum Ridge"),
    ("municipios.csv", table("codigo_ibge,nome,latitude,longitude,capital", lambda n, name: [5200050 + n, name, -16.5 - n, -49.5 - n, 0]), "plum", "Plum Ridge"),
    ("municipios.json", b"\xef\xbb\xbf" + objects(lambda n, name: {"codigo_ibge": 5200050 + n, "nome": name, "capital": 0}).encode(), "plum", "Plum Ridge"),
    ("streets.csv", table(STREETS, lambda n, name: [110101001 + n, name, 110101, 11, 1101]), "plum", "Plum Ridge"),
    ("streets.json", objects(lambda n, name: {"code": str(110101001 + n), "name": name, "areaCode": "110101"}), "plum", "Plum Ridge"),
    ("pca.json", provinces(), "rowan", "Rowan Gate"),
    ("pca-code.json", nested(), "plum", "Plum Ridge"),
    ("auckland.json", objects(lambda n, name: {"info": "", "street": name + " Road", "suburb": ["Mount Made", "Bay Made"][n % 2], "x": n}), "plum", "Plum Ridge Road"),
    ("arrays.json", json.dumps([[name + " Road", ["Mount Made", "Bay Made"][n % 2]] for n, name in enumerate(NAMES)]), "plum", "Plum Ridge Road"),
    ("zipcodes.csv", table("zip_code,latitude,longitude,city,state,county", lambda n, name: [f"0{501 + n}", 40.5 + n, -72.5, name, "NY", "Made"]), "plum", "Plum Ridge"),
    ("capitals.json", objects(lambda n, name: {"lon": n - 86.5, "lat": n + 32.5, "state": "State of " + name, "city": name}), "state of plum", "Plum Ridge"),
    ("species.csv", table("item_id,common_name,scientific_name,gap_species_code", lambda n, name: [f"58fa3f0be4b0b7ea545{n:05}", NAMES[n % 4], "Made " + name.lower(), "a" + code(n).lower()]), "plum", "Plum Ridge"),
    ("birdstrikes.csv", table("Airport Name,Aircraft Make Model,Effect Amount of damage,Flight Date,Cost Total $", lambda n, name: [name, "B-737-300", "None", f"1/{n + 1}/90 0:00", 10 * n]), "plum", "Plum Ridge"),
    ("movies.json", films(), "plum", "Plum Ridge"),
    ("earthquakes.json", json.dumps({"type": "FeatureCollection", "metadata": {"count": 20}, "features": [feature(n, name) for n, name in enumerate(NAMES)]}), "4 km n of plum", "Plum Ridge"),
    ("unemployment.tsv", table("id\trate", lambda n, name: [1001 + 2 * n, f".0{n + 10}"], "\t"), "1003", ".011"),
    ("countries.json", objects(lambda n, name: {"_comment": "", "year": 1955 + n, "fertility": 7.7, "cluster": 0, "country": name, "life_expect": 30.3}), "plum", "Plum Ridge"),
    ("us-10m.json", topology(), "1003", "1003"),
    ("categories.csv", table(None, lambda n, name: [f"A{n:02}", name + ", unspecified"]), "plum", "Plum Ridge"),
    ("atc.csv", table("atc_code,atc_name,ddd,uom,adm_r,note", lambda n, name: [f"A{n:02}BA{n:02}", name.lower(), n / 2, "g", "O", "NA"]), "plum", "plum ridge"),
    ("books.csv", table("book_id,goodreads_book_id,isbn,authors,original_title,title,language_code,image_url", lambda n, name: [n, 40 + n, 439023480 + n, "Ann " + code(n).title(), name, f"{name} (Made, #{n})", "eng", f"https://i.example/{n}"]), "plum", "Plum Ridge"),
    ("tags.csv", table("tag_id,tag_name", lambda n, name: [n, name.lower()]), "plum", "plum ridge"),
    ("entrez.csv", table(None, lambda n, name: [name + " Annals", name.split()[0] + " Ann."], ";"), "plum", "Plum Ridge Annals"),
    ("general.csv", table(None, lambda n, name: [name + " Annals", name.split()[0] + " Ann."]), "plum", "Plum Ridge Annals"),
    ("dainst.csv", table(None, lambda n, name: [name + " Annals", name.split()[0] + " Ann.", ""], ";"), "plum", "Plum Ridge Annals"),
    ("top-pypi.json", json.dumps({"last_update": "2024-01-01 00:00:00", "query": {"bytes": 1}, "rows": [{"download_count": 9000 - n, "project": name.lower().replace(" ", "-")} for n, name in enumerate(NAMES)]}), "plum", "plum-ridge"),
    ("top-pypi.csv", table("download_count,project", lambda n, name: [9000 - n, name.lower().replace(" ", "-")]), "plum", "plum-ridge"),
    ("constituents.csv", table("Symbol,Security,GICS Sector,GICS Sub-Industry,Headquarters Location,Date added,CIK,Founded", lambda n, name: [code(n), name, "Industrials", "Conglomerates", "Town, State", f"1957-03-{n + 10}", f"00000{n}", 1902 + n]), "plum", "Plum Ridge"),
    ("oui.csv", table("Registry,Assignment,Organization Name,Organization Address", lambda n, name: ["MA-L", f"{n:02X}22{n:02X}", name, f"{n} Made Street Town AX"]), "plum", "Plum Ridge"),
    ("supermarket.json", json.dumps({"properties": {"path": "brands/shop/supermarket", "exclude": {"generic": ["^made$"]}}, "items": [brands(n, name) for n, name in enumerate(NAMES)]}), "plum", "Plum Ridge"),
    ("bus.json", json.dumps({"properties": {"path": "transit/route/bus"}, "items": [brands(n, name) for n, name in enumerate(NAMES)]}), "plum", "Plum Ridge"),
    ("all.csv", table("name,alpha-2,alpha-3,country-code,iso_3166-2,region", lambda n, name: [name, code(n, 2), code(n), f"{n:03}", "ISO 3166-2:" + code(n, 2), "Made"]), "plum", "Plum Ridge"),
    ("all.json", objects(lambda n, name: {"name": name, "alpha-2": code(n, 2), "country-code": f"{n:03}", "region": "Made"}), "plum", "Plum Ridge"),
    ("iso_3166-2.json", json.dumps({"3166-2": [{"code": "AX-" + code(n, 2), "name": name, "type": "Parish"} for n, name in enumerate(NAMES)]}), "plum", "Plum Ridge"),
    ("iso_639-3.json", json.dumps({"639-3": [{"alpha_3": code(n).lower(), "name": name, "scope": "I", "type": "L"} for n, name in enumerate(NAMES)]}), "plum", "Plum Ridge"),
    ("labels_ru.txt", labels("Птица"), "plum", "Птица"),
    ("labels_ja.txt", labels("とり"), "plum", "とり"),
    ("labels_th.txt", labels("นก"), "plum", "นก"),
    ("ebird.json", json.dumps({code(n, 4).lower() + str(n): "Common " + name for n, name in enumerate(NAMES)}), "common plum", "Common Plum Ridge"),
    ("dictionary.txt", "".join(json.dumps({"character": chr(0x4E00 + n), "definition": name.lower(), "pinyin": ["y"], "decomposition": "？", "radical": "一", "matches": [None, [n]]}, ensure_ascii=False) + "\n" for n, name in enumerate(NAMES)), "丁", "plum ridge"),
    ("vn-units.json", objects(lambda n, name: {"Type": "province", "Code": f"{n:02}", "Name": name, "NameEn": name, "FullName": "City of " + name, "District": [{"Code": "001", "Name": "Ward"}]}), "plum", "Plum Ridge"),
    ("geonames-countries.json", entries(lambda n, name: {"geonameid": 3000 + n, "name": name, "iso": code(n, 2), "population": 10 * n}, lambda n: code(n, 2) + str(n)), "plum", "Plum Ridge"),
    ("us_counties.json", objects(lambda n, name: {"fips": f"0{1001 + n}", "name": name + " County", "state": "AL"}), "plum", "Plum Ridge County"),
    ("cities15000.json", entries(cities), "plum", "Plum Ridge"),
    ("french", "".join(name.lower().replace(" ", "é") + "\n" for name in NAMES), "plum", "pluméridge"),
    ("ngerman", "".join(name.replace(" ", "ß") + "\n" for name in NAMES), "plum", "Plumßridge".replace("r", "R")),
    ("words_alpha.zip", archive("words_alpha.txt", "".join(name.split()[0].lower() + "\r\n" for name in NAMES)), "plum", "plum"),
    ("words_dictionary.zip", archive("words_dictionary.json", json.dumps({name.split()[0].lower(): 1 for name in NAMES})), "plum", "plum"),
    ("uk-us-dict.txt", "".join(f"{name.split()[0].lower()}our {name.split()[0].lower()}or\n" for name in NAMES), "plum", "plumour plumor"),
    ("public_suffix_list.dat", SUFFIXES, "plum.", "plum."),
    ("airport", "# made up\n#\n" + "".join(f"{code(n)}: {name}, Made\n" for n, name in enumerate(NAMES)), "cgo", "CGO: Plum Ridge, Made"),
    ("pnp.ids", table(None, lambda n, name: [code(n), name + " Ltd"], "\t"), "plum", "Plum Ridge Ltd"),
    ("edict", edict(), "かない", "Plum Ridge"),
    ("UnicodeData.txt", letters(), "plum", "PLUM RIDGE"),
    ("zone1970.tab", zones(), "europe/plum", "Europe/Plum_Ridge"),
]
