import SearchModel
import SwiftUI

struct CityList: View {
  @State var search: SearchModel

  var body: some View {
    NavigationStack {
      List(search.rows) { row in
        Text(row.title).onAppear { search.load(row) }
      }
      .searchable(text: $search.text)
    }
  }
}
