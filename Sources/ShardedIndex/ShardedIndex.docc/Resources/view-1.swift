import SwiftUI

struct CityList: View {
  @State var search: CitySearch

  var body: some View {
    NavigationStack {
      List(0..<search.count, id: \.self) { position in Text(search.row(position)) }
        .searchable(text: $search.text)
    }
  }
}
