runMeasure()
