/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the records of {@code record.sh}: for each step and epoch, the state of the workspace at
 * the beginning and at the end.
 *
 * @param folder outside the system
 */
record WorkspaceLedger(Path folder) {
  static final String ENTER = "enter";
  static final String BEGIN = "begin";
  static final String END = "end";

  /** Enough lines to find the error in a readable message. */
  private static final int TOLD = 10;

  private static final int MOST = 3;

  /**
   * @param position {@code enter}, {@code begin} or {@code end}
   * @param digest of the whole state of the workspace; {@code -} at {@code enter}
   */
  record Line(String step, int epoch, String position, String digest) {
    /** Returns the key for which every run must have the same state. */
    String place() {
      return step + "." + position;
    }
  }

  static WorkspaceLedger in(Path folder) throws IOException {
    Files.createFile(folder.resolve("ledger"));
    return new WorkspaceLedger(folder);
  }

  Path file() {
    return folder.resolve("ledger");
  }

  /** Returns the lines in the order in which they were written. */
  List<Line> lines() throws IOException {
    List<Line> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file())) {
      String[] words = line.split(" ", -1);
      if (words.length != 4) {
        throw new AssertionError("not a line of a ledger: '" + line + "' in " + file());
      }
      lines.add(new Line(words[0], Integer.parseInt(words[1]), words[2], words[3]));
    }
    return lines;
  }

  /** Returns the first differences from an undisturbed run; empty if there are none. */
  List<String> differencesTo(WorkspaceLedger undisturbed) throws IOException {
    Map<String, Line> wanted = new HashMap<>();
    for (Line line : undisturbed.lines()) {
      wanted.put(line.place(), line);
    }
    List<String> differences = new ArrayList<>();
    for (Line line : lines()) {
      if (differences.size() == MOST) {
        return differences;
      }
      Line right = wanted.get(line.place());
      if (right == null) {
        differences.add(line + ": not in an undisturbed run");
      } else if (!right.digest().equals(line.digest())) {
        differences.add(
            line + " in " + folder + ":\n" + compare(undisturbed.known(right), known(line)));
      }
    }
    return differences;
  }

  /** Reads the recorded state behind the digest; a name may contain any byte. */
  private List<String> known(Line line) throws IOException {
    Path file = folder.resolve(line.place() + "." + line.epoch());
    return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
  }

  private static String compare(List<String> wanted, List<String> found) {
    return "  missing:\n" + without(wanted, found) + "\n  instead:\n" + without(found, wanted);
  }

  private static String without(List<String> lines, List<String> others) {
    Set<String> known = new HashSet<>(others);
    List<String> left = lines.stream().filter(line -> !known.contains(line)).toList();
    String told = String.join("\n", left.subList(0, Math.min(TOLD, left.size())));
    return left.size() <= TOLD ? told : told + "\nand " + (left.size() - TOLD) + " more";
  }
}
