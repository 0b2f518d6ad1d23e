import SwiftUI

struct CityList: View {
  @State var search: CitySearch

  var body: some View {
    NavigationStack {
      List(search.hits, id: \.rank) { hit in Text(search.row(hit)) }
        .searchable(text: $search.text)
    }
  }
}
