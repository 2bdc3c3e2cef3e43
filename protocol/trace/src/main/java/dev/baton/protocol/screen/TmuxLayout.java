/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.screen;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A window's layout as tmux describes it ({@code #{window_layout}}): a checksum, and the cells that
 * divide the window. Only a checked one may be given to tmux, which ends when it gets a malformed
 * one.
 *
 * @param text with its checksum
 * @param panes 1 to {@link #MAX_PANES}
 */
public record TmuxLayout(String text, int width, int height, int panes) {
  public static final int MAX_PANES = 16;

  private static final int MAX_LENGTH = 4_096;
  private static final int MAX_DEPTH = 16;
  private static final int MAX_SIDE = 2_000;
  private static final Pattern CHECKSUM = Pattern.compile("[0-9a-f]{4}");
  private static final Pattern CELL =
      Pattern.compile("(\\d{1,4})x(\\d{1,4}),(\\d{1,4}),(\\d{1,4})");
  private static final Pattern PANE = Pattern.compile(",(\\d{1,9})");

  /** Returns the layout; empty when it is malformed or beyond the bounds. */
  public static Optional<TmuxLayout> parse(String text) {
    if (text.length() > MAX_LENGTH
        || text.length() < 5
        || text.charAt(4) != ','
        || !CHECKSUM.matcher(text.substring(0, 4)).matches()
        || Integer.parseInt(text.substring(0, 4), 16) != checksum(text.substring(5))) {
      return Optional.empty();
    }
    Parser parser = new Parser(text.substring(5));
    Cell all = parser.cell(0);
    return all == null
            || all.x() != 0
            || all.y() != 0
            || !parser.isAtEnd()
            || parser.panes > MAX_PANES
        ? Optional.empty()
        : Optional.of(new TmuxLayout(text, all.width(), all.height(), parser.panes));
  }

  /** Returns the checksum of a layout without one, as tmux calculates it. */
  static int checksum(String cells) {
    int sum = 0;
    for (int i = 0; i < cells.length(); i++) {
      sum = (sum >> 1) + ((sum & 1) << 15);
      sum = (sum + cells.charAt(i)) & 0xffff;
    }
    return sum;
  }

  private record Cell(int width, int height, int x, int y) {}

  private static final class Parser {
    private final String text;
    private int at;
    private int panes;

    Parser(String text) {
      this.text = text;
    }

    boolean isAtEnd() {
      return at == text.length();
    }

    /** Reads a cell with its children; returns null when it is malformed. */
    @org.jspecify.annotations.Nullable
    Cell cell(int depth) {
      Matcher sides = CELL.matcher(text).region(at, text.length());
      if (depth > MAX_DEPTH || !sides.lookingAt()) {
        return null;
      }
      at = sides.end();
      Cell cell =
          new Cell(
              Integer.parseInt(sides.group(1)),
              Integer.parseInt(sides.group(2)),
              Integer.parseInt(sides.group(3)),
              Integer.parseInt(sides.group(4)));
      if (cell.width() < 1
          || cell.height() < 1
          || cell.width() > MAX_SIDE
          || cell.height() > MAX_SIDE) {
        return null;
      }
      char next = isAtEnd() ? ' ' : text.charAt(at);
      if (next == '{' || next == '[') {
        return isDivided(cell, next == '{', depth) ? cell : null;
      }
      Matcher pane = PANE.matcher(text).region(at, text.length());
      if (!pane.lookingAt()) {
        return null;
      }
      at = pane.end();
      panes++;
      return cell;
    }

    /** Reads the children of a cell, which fill it with one line between two of them. */
    private boolean isDivided(Cell parent, boolean sideBySide, int depth) {
      char end = sideBySide ? '}' : ']';
      int children = 0;
      int taken = -1;
      do {
        at++;
        Cell child = cell(depth + 1);
        if (child == null
            || (sideBySide ? child.height() : child.width())
                != (sideBySide ? parent.height() : parent.width())
            || (sideBySide ? child.x() : child.y())
                != (sideBySide ? parent.x() : parent.y()) + taken + 1
            || (sideBySide ? child.y() : child.x()) != (sideBySide ? parent.y() : parent.x())) {
          return false;
        }
        taken += 1 + (sideBySide ? child.width() : child.height());
        children++;
      } while (!isAtEnd() && text.charAt(at) == ',');
      if (children < 2
          || isAtEnd()
          || text.charAt(at) != end
          || taken != (sideBySide ? parent.width() : parent.height())) {
        return false;
      }
      at++;
      return true;
    }
  }
}
