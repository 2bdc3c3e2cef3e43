/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import java.util.List;
import java.util.Locale;

/**
 * One panel of horizontal bars on its own scale, with the rounds as dots on each bar.
 *
 * @param title in one line
 * @param unit after each figure
 * @param bars from top to bottom
 */
record BarChartPanel(String title, String unit, List<Bar> bars) {
  static final int HEIGHT_OF_TITLE = 40;
  static final int HEIGHT_OF_BAR = 26;
  private static final int LEFT = 170;
  private static final int RIGHT = 110;
  private static final int THICKNESS = 16;

  /**
   * @param median its length
   * @param rounds each round's figure
   * @param colour of the bar, in SVG notation
   */
  record Bar(String label, double median, List<Double> rounds, String colour) {}

  int height() {
    return HEIGHT_OF_TITLE + bars.size() * HEIGHT_OF_BAR;
  }

  /** Draws the panel with its upper edge at {@code top}. */
  void draw(StringBuilder svg, int top, int width) {
    svg.append(text(20, top + 24, "start", "bold 14px", title));
    double longest =
        bars.stream()
            .flatMapToDouble(
                bar ->
                    java.util.stream.DoubleStream.concat(
                        java.util.stream.DoubleStream.of(bar.median()),
                        bar.rounds().stream().mapToDouble(Double::doubleValue)))
            .max()
            .orElse(1);
    double scale = (width - LEFT - RIGHT) / Math.max(longest, 1e-9);
    int y = top + HEIGHT_OF_TITLE;
    for (Bar bar : bars) {
      int middle = y + THICKNESS / 2;
      svg.append(text(LEFT - 10, middle + 4, "end", "12px", bar.label()));
      svg.append(
          format(
              "<rect x='%d' y='%d' width='%.1f' height='%d' rx='2' fill='%s'/>\n",
              LEFT, y, Math.max(1, bar.median() * scale), THICKNESS, bar.colour()));
      double end = bar.median();
      for (double round : bar.rounds()) {
        end = Math.max(end, round);
        svg.append(
            format(
                "<circle cx='%.1f' cy='%d' r='2.5' fill='#fff' stroke='#333'/>\n",
                LEFT + round * scale, middle));
      }
      svg.append(
          text(LEFT + end * scale + 8, middle + 4, "start", "12px", figure(bar.median()) + unit));
      y += HEIGHT_OF_BAR;
    }
  }

  private static String figure(double value) {
    return value >= 100 ? format("%,.0f ", value) : format("%.2f ", value);
  }

  static String text(double x, int y, String anchor, String font, String content) {
    return format(
        "<text x='%.1f' y='%d' text-anchor='%s' style='font:%s sans-serif' fill='#222'>%s</text>\n",
        x, y, anchor, font, content.replace("&", "&amp;").replace("<", "&lt;"));
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
