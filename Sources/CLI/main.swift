print("wherry")
