#if !hasFeature(Embedded)
  /// The texts of the page in languages other than English, which the page has itself.
  package enum PageTexts {
    package static let languages = ["en", "de", "fr", "es"]

    /// The names of all texts.
    package static let names = german.map(\.name)

    /// The forms of a text with a number. Source: Unicode Technical Standard 35, plural rules; all languages have `other`.
    private static let forms = ["zero", "one", "two", "few", "many", "other"]

    /// Whether the page has a text of this name, also as a form that another language needs.
    static func isName(_ name: String) -> Bool {
      guard !names.contains(name) else { return true }
      guard let dot = name.lastIndex(of: ".") else { return false }
      return forms.contains(String(name[name.index(after: dot)...])) && names.contains(name[..<dot] + ".other")
    }

    /// Returns the texts of a language; nil for a language that the page has no texts in.
    ///
    /// - Parameter tag: A language tag, of which the first part counts.
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
      ("rule", "Gefunden wird, was mit dem Text beginnt; Groß- und Kleinschreibung und Akzente sind gleich."),
      (
        "ruleWords",
        "Gefunden wird, was ein Wort mit diesem Anfang hat; Groß- und Kleinschreibung und Akzente sind gleich."
      ),
      ("ruleTypos", "Tippfehler werden berichtigt."),
      ("keyMove", "durch die Liste"),
      ("keyPages", "seitenweise durch die Liste"),
      ("keyChoose", "zeigt den Eintrag"),
      ("keyEscape", "schließt die Liste, dann leert es das Feld"),
      ("keyMap", "führt zur Karte; Pfeile bewegen sie, + und − zoomen"),
      ("records.one", "{count} Eintrag"),
      ("records.other", "{count} Einträge"),
      ("matches.one", "{count} Treffer"),
      ("matches.other", "{count} Treffer"),
      ("matchesAtLeast", "{count}+ Treffer"),
      ("matchesFor", "{matches} für {query}"),
      ("best", "Die Liste hat die besten {count}; mehr Buchstaben führen zu den anderen."),
      ("empty", "Diese Liste hat keine Einträge."),
      ("noneBegins", "Nichts beginnt mit {query}."),
      ("noneMatches", "Nichts passt zu {query}."),
      ("instead", "Suche {query}"),
      ("corrected", "Nichts passt zu {query}; Ergebnisse für {other}:"),
      ("chosen", "{name}, gewählt"),
      ("loading", "Lädt"),
      ("quote", "„{text}“"),
      ("compass", "NSOW"),
      ("clear", "Feld leeren"),
      ("close", "Eintrag schließen"),
      ("list", "Treffer"),
      ("map", "Karte. Pfeiltasten bewegen sie, Plus und Minus zoomen, 0 zeigt alles."),
      ("zoom", "Zoom"),
      ("zoomIn", "Vergrößern"),
      ("zoomOut", "Verkleinern"),
      ("showAll", "Alles zeigen"),
      ("showMatches", "Treffer zeigen"),
      ("tooLarge", "Dieser Eintrag ist zu groß, um hier gezeigt zu werden."),
      ("places", "Orte werden gesucht …"),
      ("openMap", "In einer Karten-App öffnen"),
      ("showOnMap", "Auf der Karte zeigen"),
      ("more.one", "und {count} weiteres Feld"),
      ("more.other", "und {count} weitere Felder"),
      ("cut", "insgesamt {count} Zeichen"),
      ("retry", "Wiederholen"),
      ("slow", "Der Server hat 10 Sekunden lang nicht geantwortet."),
      ("offline", "Es gibt kein Netz. Die Seite versucht es wieder, sobald es da ist."),
      ("unreachable", "Der Server ist nicht zu erreichen."),
      ("failed", "Der Server meldet den Fehler {status}."),
      ("says", "Der Server sagt: {text}"),
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
      ("keyMove", "parcourir la liste"),
      ("keyPages", "parcourir la liste par pages"),
      ("keyChoose", "afficher la fiche"),
      ("keyEscape", "fermer la liste, puis vider le champ"),
      ("keyMap", "aller à la carte ; les flèches la déplacent, + et − zooment"),
      ("records.one", "{count} fiche"),
      ("records.other", "{count} fiches"),
      ("matches.one", "{count} résultat"),
      ("matches.other", "{count} résultats"),
      ("matchesAtLeast", "{count}+ résultats"),
      ("matchesFor", "{matches} pour {query}"),
      ("best", "La liste contient les {count} meilleurs ; saisissez plus de lettres pour les autres."),
      ("empty", "Cette liste est vide."),
      ("noneBegins", "Rien ne commence par {query}."),
      ("noneMatches", "Aucun résultat pour {query}."),
      ("instead", "Chercher {query}"),
      ("corrected", "Aucun résultat pour {query} ; résultats pour {other} :"),
      ("chosen", "{name}, choisi"),
      ("loading", "Chargement"),
      ("quote", "« {text} »"),
      ("compass", "NSEO"),
      ("clear", "Vider le champ"),
      ("close", "Fermer la fiche"),
      ("list", "Résultats"),
      ("map", "Carte. Les flèches la déplacent, plus et moins zooment, 0 montre tout."),
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
      ("offline", "Il n’y a pas de réseau. La page réessaiera dès son retour."),
      ("unreachable", "Le serveur est injoignable."),
      ("failed", "Le serveur a échoué avec l’état {status}."),
      ("says", "Le serveur dit : {text}"),
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
      ("keyMove", "recorrer la lista"),
      ("keyPages", "recorrer la lista por páginas"),
      ("keyChoose", "mostrar la ficha"),
      ("keyEscape", "cerrar la lista y vaciar el campo"),
      ("keyMap", "ir al mapa; las flechas lo mueven, + y − lo amplían y reducen"),
      ("records.one", "{count} ficha"),
      ("records.other", "{count} fichas"),
      ("matches.one", "{count} resultado"),
      ("matches.other", "{count} resultados"),
      ("matchesAtLeast", "{count}+ resultados"),
      ("matchesFor", "{matches} para {query}"),
      ("best", "La lista tiene los {count} mejores; escriba más letras para ver los demás."),
      ("empty", "Esta lista está vacía."),
      ("noneBegins", "Nada comienza por {query}."),
      ("noneMatches", "No hay resultados para {query}."),
      ("instead", "Buscar {query}"),
      ("corrected", "No hay resultados para {query}; resultados para {other}:"),
      ("chosen", "{name}, elegido"),
      ("loading", "Cargando"),
      ("quote", "«{text}»"),
      ("compass", "NSEO"),
      ("clear", "Vaciar el campo"),
      ("close", "Cerrar la ficha"),
      ("list", "Resultados"),
      ("map", "Mapa. Las flechas lo mueven, más y menos lo amplían y reducen, 0 muestra todo."),
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
      ("offline", "No hay red. La página lo intentará de nuevo cuando vuelva."),
      ("unreachable", "No se puede llegar al servidor."),
      ("failed", "El servidor falló con el estado {status}."),
      ("says", "El servidor dice: {text}"),
      ("unreadable", "La respuesta del servidor no se puede leer."),
      ("gone", "{name} ya no está en esta lista."),
    ]
  }
#endif
