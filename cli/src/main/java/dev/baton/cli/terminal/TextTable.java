/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Prints text in columns as wide as their widest cell, two spaces apart, below a line of headings.
 */
public final class TextTable {
  private static final int WIDEST = 72;

  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... headings) {
    this.headings = List.of(headings);
  }

  /**
   * @param cells as many as there are headings; line breaks become spaces, control characters are
   *     escaped, text longer than 72 characters is cut
   */
  public TextTable row(String... cells) {
    if (cells.length != headings.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + headings.size() + " columns");
    }
    rows.add(Arrays.stream(cells).map(TextTable::oneLine).toList());
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  public void print(PrintStream stream, TerminalStyle style) {
    PrintStream out = EscapingStream.over(stream);
    int[] widths = new int[headings.size()];
    for (int column = 0; column < widths.length; column++) {
      widths[column] = headings.get(column).length();
      for (List<String> row : rows) {
        widths[column] = Math.max(widths[column], visible(row.get(column)));
      }
    }
    out.println(style.bold(line(headings, widths)));
    rows.forEach(row -> out.println(line(row, widths)));
  }

  private static String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String cell = cells.get(column);
      line.append(cell);
      if (column < widths.length - 1) {
        line.append(" ".repeat(widths[column] - visible(cell) + 2));
      }
    }
    return line.toString().stripTrailing();
  }

  private static String oneLine(String cell) {
    return cell.indexOf(ControlSequenceMarker.BEGIN) >= 0
        ? TextEscaper.oneLine(cell)
        : TextEscaper.oneLine(cell, WIDEST);
  }

  private static int visible(String cell) {
    String plain = ControlSequenceMarker.removed(cell);
    return plain.codePointCount(0, plain.length());
  }
}
