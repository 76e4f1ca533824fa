import BrowsingData
import Store

/// What was added, changed and removed, of each type of which something was: `bookmarks +39 ~31 -2`.
func changes(_ figures: [DataType: ApplyReport.Figures]) -> [String] {
  figures.sorted { $0.key < $1.key }.compactMap { type, figures in
    let signs = [("+", figures.added), ("~", figures.changed), ("-", figures.removed)].filter { $0.1 > 0 }
    return signs.isEmpty ? nil : ([type.name] + signs.map { $0.0 + grouped($0.1) }).joined(separator: " ")
  }
}
