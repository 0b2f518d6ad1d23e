#if !hasFeature(Embedded)
  /// The texts of the page in German, French and Spanish. The page itself has the English texts.
  package enum PageTexts {
    package static let languages = ["en", "de", "fr", "es"]

    /// The names of all texts.
    package static let names = german.map(\.name)

    /// The plural forms of a text with a number. All languages have `other`. Source: Unicode Technical Standard 35.
    private static let forms = ["zero", "one", "two", "few", "many", "other"]

    /// Whether the page has a text of this name, or the name is a plural form that another language needs.
    static func isName(_ name: String) -> Bool {
      guard !names.contains(name) else { return true }
      guard let dot = name.lastIndex(of: ".") else { return false }
      return forms.contains(String(name[name.index(after: dot)...])) && names.contains(name[..<dot] + ".other")
    }

    /// Returns the texts of a language; nil if the page has no texts in that language.
    ///
    /// - Parameter tag: A language tag. Only its first part counts.
    static func table(of tag: String) -> [(name: String, text: String)]? {
      switch tag.prefix(while: { $0 != "-" }).lowercased() {
      case "en": []
      case "de": german
      case "fr": french
      case "es": spanish
      default: nil
      }
    }

    private static let german: [(name: String, text: String)] = [
      ("placeholder", "Suchbegriff eingeben"),
      ("hint", "Die Ergebnisse erscheinen beim Tippen."),
      ("browse", "Alle anzeigen"),
      ("showList", "Liste zeigen"),
      ("rule", "Die Suche vergleicht den Anfang des Namens; Groß- und Kleinschreibung und Akzente zählen nicht."),
      (
        "ruleWords",
        "Die Suche vergleicht den Anfang jedes Wortes; Groß- und Kleinschreibung und Akzente zählen nicht."
      ),
      ("ruleTypos", "Tippfehler werden korrigiert."),
      ("keyMove", "geht durch die Liste"),
      ("keyPages", "geht seitenweise durch die Liste"),
      ("keyChoose", "zeigt den Eintrag"),
      ("keyEscape", "schließt die Liste, leert danach das Feld"),
      ("keyMap", "geht zur Karte; Pfeile bewegen die Karte, + und − zoomen"),
      ("records.one", "{count} Eintrag"),
      ("records.other", "{count} Einträge"),
      ("matches.one", "{count} Treffer"),
      ("matches.other", "{count} Treffer"),
      ("matchesAtLeast", "{count}+ Treffer"),
      ("matchesFor", "{matches} für {query}"),
      ("best", "Die Liste hat die besten {count} Treffer; mehr Buchstaben finden andere."),
      ("empty", "Diese Liste hat keine Einträge."),
      ("noneBegins", "Nichts beginnt mit {query}."),
      ("noneMatches", "Nichts passt zu {query}."),
      ("instead", "{query} suchen"),
      ("filters", "Filter"),
      ("order", "Reihenfolge"),
      ("relevance", "Relevanz"),
      ("nearMe", "In meiner Nähe"),
      (
        "nearDenied",
        "Der Browser verrät dieser Seite den Standort nicht. Das lässt sich in seinen Einstellungen erlauben; "
          + "danach den Knopf noch einmal drücken."
      ),
      ("nearUnknown", "Der Browser kennt den Standort nicht."),
      ("distance", "Entfernung"),
      ("anyDistance", "beliebig weit"),
      ("upTo", "bis {distance}"),
      ("clearAll", "Alle entfernen"),
      ("remove", "{name} entfernen"),
      ("noneFiltered", "Nichts erfüllt all das."),
      ("showWithout", "Ohne {name} zeigen"),
      ("notHere", "{name} (nicht in dieser Liste)"),
      ("moreValues", "Mehr"),
      ("narrow", "Anfang eines Wertes"),
      ("wholeList", "In der ganzen Liste:"),
      ("noValues", "Kein Wert beginnt so."),
      ("countsLeast", "Es können mehr als diese Zahlen sein."),
      ("from", "von"),
      ("to", "bis"),
      ("wrongRange", "Bitte eine Zahl wie {number} oder ein Datum wie 2025-01-31 schreiben, das kleinere zuerst."),
      ("changed", "Diese Liste hat sich geändert. Bitte die Seite neu laden."),
      ("corrected", "Nichts passt zu {query}; Ergebnisse für {other}:"),
      ("without", "Nichts passt zu {query}; Ergebnisse ohne {words}:"),
      ("correctedWithout", "Nichts passt zu {query}; Ergebnisse für {other} ohne {words}:"),
      ("filtered", "{text} mit {values}"),
      ("chosen", "{name}, gewählt"),
      ("loading", "Lädt"),
      ("quote", "„{text}“"),
      ("compass", "NSOW"),
      ("clear", "Feld leeren"),
      ("close", "Eintrag schließen"),
      ("list", "Treffer"),
      ("map", "Karte. Pfeiltasten bewegen die Karte, Plus und Minus zoomen, 0 zeigt alles."),
      ("zoom", "Zoom"),
      ("zoomIn", "Vergrößern"),
      ("zoomOut", "Verkleinern"),
      ("showAll", "Alles zeigen"),
      ("showMatches", "Treffer zeigen"),
      ("tooLarge", "Dieser Eintrag ist zu groß für die Anzeige."),
      ("places", "Orte werden gesucht …"),
      ("openMap", "In einer Karten-App öffnen"),
      ("showOnMap", "Auf der Karte zeigen"),
      ("more.one", "und {count} weiteres Feld"),
      ("more.other", "und {count} weitere Felder"),
      ("cut", "insgesamt {count} Zeichen"),
      ("retry", "Wiederholen"),
      ("slow", "Der Server hat 10 Sekunden lang nicht geantwortet."),
      ("offline", "Es gibt kein Netz. Die Seite versucht es wieder, sobald das Netz zurück ist."),
      ("unreachable", "Der Server ist nicht erreichbar."),
      ("failed", "Der Server meldet den Fehler {status}."),
      ("says", "Der Server sagt: {text}"),
      (
        "fromDisk",
        "Der Browser lässt eine Seite von der Festplatte keinen Index lesen. Im Terminal python3 -m http.server im "
          + "Ordner dieser Seite aufrufen und localhost:8000 öffnen."
      ),
      ("unreadable", "Die Antwort des Servers ist nicht lesbar."),
      ("gone", "{name} ist nicht mehr in dieser Liste."),
    ]

    private static let french: [(name: String, text: String)] = [
      ("placeholder", "Saisissez votre recherche"),
      ("hint", "Les résultats s’affichent au fil de la saisie."),
      ("browse", "Tout parcourir"),
      ("showList", "Afficher la liste"),
      ("rule", "La recherche porte sur le début du nom, sans tenir compte de la casse ni des accents."),
      ("ruleWords", "La recherche porte sur le début de chaque mot, sans tenir compte de la casse ni des accents."),
      ("ruleTypos", "Les fautes de frappe sont corrigées."),
      ("keyMove", "parcourt la liste"),
      ("keyPages", "parcourt la liste par pages"),
      ("keyChoose", "affiche la fiche"),
      ("keyEscape", "ferme la liste, puis vide le champ"),
      ("keyMap", "va à la carte ; les flèches déplacent la carte, + et − zooment"),
      ("records.one", "{count} fiche"),
      ("records.other", "{count} fiches"),
      ("matches.one", "{count} résultat"),
      ("matches.other", "{count} résultats"),
      ("matchesAtLeast", "{count}+ résultats"),
      ("matchesFor", "{matches} pour {query}"),
      (
        "best",
        "La liste contient les {count} meilleurs résultats ; saisissez plus de lettres pour en trouver d’autres."
      ),
      ("empty", "Cette liste est vide."),
      ("noneBegins", "Rien ne commence par {query}."),
      ("noneMatches", "Aucun résultat pour {query}."),
      ("instead", "Chercher {query}"),
      ("filters", "Filtres"),
      ("order", "Ordre"),
      ("relevance", "Pertinence"),
      ("nearMe", "Près de moi"),
      (
        "nearDenied",
        "Le navigateur n’indique pas votre position à cette page. Autorisez-le dans ses réglages, puis appuyez de "
          + "nouveau sur le bouton."
      ),
      ("nearUnknown", "Le navigateur ne connaît pas votre position."),
      ("distance", "Distance"),
      ("anyDistance", "toute distance"),
      ("upTo", "jusqu’à {distance}"),
      ("clearAll", "Tout effacer"),
      ("remove", "Retirer {name}"),
      ("noneFiltered", "Aucun résultat ne remplit toutes ces conditions."),
      ("showWithout", "Afficher sans {name}"),
      ("notHere", "{name} (pas dans cette liste)"),
      ("moreValues", "Plus"),
      ("narrow", "Début d’une valeur"),
      ("wholeList", "Dans toute la liste :"),
      ("noValues", "Aucune valeur ne commence ainsi."),
      ("countsLeast", "Il peut y en avoir plus que ces nombres."),
      ("from", "de"),
      ("to", "à"),
      ("wrongRange", "Écrivez un nombre comme {number} ou une date comme 2025-01-31, le plus petit d’abord."),
      ("changed", "Cette liste a changé. Rechargez la page."),
      ("corrected", "Aucun résultat pour {query} ; résultats pour {other} :"),
      ("without", "Aucun résultat pour {query} ; résultats sans {words} :"),
      ("correctedWithout", "Aucun résultat pour {query} ; résultats pour {other} sans {words} :"),
      ("filtered", "{text} avec {values}"),
      ("chosen", "{name}, choisi"),
      ("loading", "Chargement"),
      ("quote", "« {text} »"),
      ("compass", "NSEO"),
      ("clear", "Vider le champ"),
      ("close", "Fermer la fiche"),
      ("list", "Résultats"),
      ("map", "Carte. Les flèches déplacent la carte, plus et moins zooment, 0 montre tout."),
      ("zoom", "Zoom"),
      ("zoomIn", "Zoomer"),
      ("zoomOut", "Dézoomer"),
      ("showAll", "Tout afficher"),
      ("showMatches", "Afficher les résultats"),
      ("tooLarge", "Cette fiche est trop grande pour être affichée ici."),
      ("places", "Recherche des lieux…"),
      ("openMap", "Ouvrir dans une application de cartes"),
      ("showOnMap", "Afficher sur la carte"),
      ("more.one", "et {count} autre champ"),
      ("more.other", "et {count} autres champs"),
      ("cut", "{count} caractères en tout"),
      ("retry", "Réessayer"),
      ("slow", "Le serveur n’a pas répondu depuis 10 secondes."),
      ("offline", "Il n’y a pas de réseau. La page réessaiera dès le retour du réseau."),
      ("unreachable", "Le serveur est injoignable."),
      ("failed", "Le serveur signale l’erreur {status}."),
      ("says", "Le serveur dit : {text}"),
      (
        "fromDisk",
        "Le navigateur ne laisse pas une page du disque lire un index. Dans un terminal, tapez python3 -m http.server "
          + "dans le dossier de cette page, puis ouvrez localhost:8000."
      ),
      ("unreadable", "La réponse du serveur est illisible."),
      ("gone", "{name} n’est plus dans cette liste."),
    ]

    private static let spanish: [(name: String, text: String)] = [
      ("placeholder", "Escriba para buscar"),
      ("hint", "Los resultados aparecen al escribir."),
      ("browse", "Ver todo"),
      ("showList", "Mostrar la lista"),
      ("rule", "Busca por el comienzo del nombre, sin distinguir mayúsculas ni acentos."),
      ("ruleWords", "Busca por el comienzo de cada palabra, sin distinguir mayúsculas ni acentos."),
      ("ruleTypos", "Los errores al teclear se corrigen."),
      ("keyMove", "recorre la lista"),
      ("keyPages", "recorre la lista por páginas"),
      ("keyChoose", "muestra la ficha"),
      ("keyEscape", "cierra la lista y después vacía el campo"),
      ("keyMap", "va al mapa; las flechas mueven el mapa, + y − lo amplían y reducen"),
      ("records.one", "{count} ficha"),
      ("records.other", "{count} fichas"),
      ("matches.one", "{count} resultado"),
      ("matches.other", "{count} resultados"),
      ("matchesAtLeast", "{count}+ resultados"),
      ("matchesFor", "{matches} para {query}"),
      ("best", "La lista tiene los {count} mejores resultados; escriba más letras para encontrar otros."),
      ("empty", "Esta lista está vacía."),
      ("noneBegins", "Nada comienza por {query}."),
      ("noneMatches", "No hay resultados para {query}."),
      ("instead", "Buscar {query}"),
      ("filters", "Filtros"),
      ("order", "Orden"),
      ("relevance", "Relevancia"),
      ("nearMe", "Cerca de mí"),
      (
        "nearDenied",
        "El navegador no indica su ubicación a esta página. Permítalo en los ajustes y pulse el botón otra vez."
      ),
      ("nearUnknown", "El navegador no conoce su ubicación."),
      ("distance", "Distancia"),
      ("anyDistance", "cualquier distancia"),
      ("upTo", "hasta {distance}"),
      ("clearAll", "Quitar todo"),
      ("remove", "Quitar {name}"),
      ("noneFiltered", "Nada cumple todo esto."),
      ("showWithout", "Mostrar sin {name}"),
      ("notHere", "{name} (no está en esta lista)"),
      ("moreValues", "Más"),
      ("narrow", "Comienzo de un valor"),
      ("wholeList", "En toda la lista:"),
      ("noValues", "Ningún valor comienza así."),
      ("countsLeast", "Puede haber más que estas cifras."),
      ("from", "de"),
      ("to", "a"),
      ("wrongRange", "Escriba un número como {number} o una fecha como 2025-01-31, primero el menor."),
      ("changed", "Esta lista ha cambiado. Vuelva a cargar la página."),
      ("corrected", "No hay resultados para {query}; resultados para {other}:"),
      ("without", "No hay resultados para {query}; resultados sin {words}:"),
      ("correctedWithout", "No hay resultados para {query}; resultados para {other} sin {words}:"),
      ("filtered", "{text} con {values}"),
      ("chosen", "{name}, elegido"),
      ("loading", "Cargando"),
      ("quote", "«{text}»"),
      ("compass", "NSEO"),
      ("clear", "Vaciar el campo"),
      ("close", "Cerrar la ficha"),
      ("list", "Resultados"),
      ("map", "Mapa. Las flechas mueven el mapa, más y menos lo amplían y reducen, 0 muestra todo."),
      ("zoom", "Zoom"),
      ("zoomIn", "Ampliar"),
      ("zoomOut", "Reducir"),
      ("showAll", "Mostrar todo"),
      ("showMatches", "Mostrar los resultados"),
      ("tooLarge", "Esta ficha es demasiado grande para mostrarla aquí."),
      ("places", "Buscando lugares…"),
      ("openMap", "Abrir en una aplicación de mapas"),
      ("showOnMap", "Mostrar en el mapa"),
      ("more.one", "y {count} campo más"),
      ("more.other", "y {count} campos más"),
      ("cut", "{count} caracteres en total"),
      ("retry", "Reintentar"),
      ("slow", "El servidor no ha respondido en 10 segundos."),
      ("offline", "No hay red. La página lo intentará de nuevo cuando vuelva la red."),
      ("unreachable", "No se puede conectar con el servidor."),
      ("failed", "El servidor indica el error {status}."),
      ("says", "El servidor dice: {text}"),
      (
        "fromDisk",
        "El navegador no deja que una página del disco lea un índice. En un terminal, escriba python3 -m http.server "
          + "en la carpeta de esta página y abra localhost:8000."
      ),
      ("unreadable", "La respuesta del servidor no se puede leer."),
      ("gone", "{name} ya no está en esta lista."),
    ]
  }
#endif
