# Prints what others see – public, package, open – and nobody has explained: a declaration without a `///` before it, the
# cases of such an enum and the requirements of such a protocol. A type that meets a requirement need not explain it again.
#   awk -f undocumented.awk pass=1 FILES pass=2 FILES

# What follows a declaration's attributes and modifiers.
function bare(line) {
  while (match(line, /^(@[A-Za-z_]+(\([^)]*\))?|static|class|final|override|mutating|nonisolated(\(unsafe\))?|indirect|convenience|required|consuming|borrowing|lazy|weak|unowned|(private|internal|package)\(set\)|public|package|open) +/))
    line = substr(line, RLENGTH + 1)
  return line
}

function declares(line) {
  return bare(line) ~ /^((func|var|let|struct|class|enum|actor|protocol|typealias|associatedtype|case) |init[?(<]|subscript[(<])/
}

# The name that a declaration gives.
function name(line) {
  line = bare(line)
  sub(/^(func|var|let) +/, "", line)
  match(line, /^[`A-Za-z_0-9]+/)
  return substr(line, 1, RLENGTH)
}

FNR == 1 { depth = 0; top = 0; explained = 0; isText = 0 }

{
  line = $0
  marks = gsub(/"""/, "\"\"\"", line)
  if (isText) { if (marks % 2) isText = 0; next }
  if (marks % 2) { isText = 1; sub(/""".*/, "", line) }
  sub(/^ +/, "", line)
  if (line ~ /^\/\/\//) { explained = 1; next }
  if (line ~ /^@[A-Za-z_]+(\([^)]*\))?$/) next

  isSeen = line ~ /^(@[A-Za-z_]+(\([^)]*\))? +|static |final |override |mutating |nonisolated |indirect |convenience )*(public|package|open) /
  isMember = top > 0 && depth == inside[top]
  isRequirement = isMember && kind[top] == "protocol" && declares(line)
  if (pass == 1 && isRequirement) required[name(line)] = 1
  if (pass == 2 && !explained && line !~ /(^| )override /) {
    isCase = isMember && kind[top] == "enum" && line ~ /^(indirect )?case [A-Za-z_`]/
    isOwn = isSeen && declares(line) && !(depth > 0 && (name(line) in required))
    if (isCase || isRequirement || isOwn) print FILENAME ":" FNR ": " line
  }

  code = line
  gsub(/"([^"\\]|\\.)*"/, "", code)
  sub(/\/\/.*/, "", code)
  opened = gsub(/\{/, "{", code)
  closed = gsub(/\}/, "}", code)
  if (opened > closed && isSeen && line ~ /(^| )(enum|protocol) /) {
    top++
    inside[top] = depth + 1
    kind[top] = line ~ /(^| )enum / ? "enum" : "protocol"
  }
  depth += opened - closed
  while (top > 0 && depth < inside[top]) top--
  explained = 0
}
