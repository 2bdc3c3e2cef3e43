/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import java.util.List;
import java.util.Locale;

/** Writes an SVG chart of panels below each other. */
final class SvgChartWriter {
  private static final int WIDTH = 860;

  private SvgChartWriter() {}

  /**
   * @param footer one line below the panels
   */
  static String of(List<BarChartPanel> panels, String footer) {
    int height = panels.stream().mapToInt(BarChartPanel::height).sum() + 50;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'>\n",
            WIDTH,
            height,
            WIDTH,
            height));
    svg.append("<rect width='100%' height='100%' fill='#fff'/>\n");
    int top = 0;
    for (BarChartPanel panel : panels) {
      panel.draw(svg, top, WIDTH);
      top += panel.height();
    }
    svg.append(BarChartPanel.text(20, height - 16, "start", "11px", footer));
    return svg.append("</svg>\n").toString();
  }
}
