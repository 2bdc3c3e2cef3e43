/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads and runs the files of jq's own test suite. */
final class JqSuite {
  private static final long MAX_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long MAX_BYTES = 64L * 1024 * 1024;

  private JqSuite() {}

  /**
   * A test case.
   *
   * @param fails whether jq rejects the program at compile time
   */
  record Case(int line, String program, String input, List<String> results, boolean fails) {}

  /** The result of a case: whether it is the same as jq's, and otherwise what was returned. */
  record Outcome(boolean same, boolean refused, String seen) {}

  static List<Case> read(String file) {
    List<Case> cases = new ArrayList<>();
    List<String> block = new ArrayList<>();
    boolean fails = false;
    int number = 0;
    int first = 0;
    for (String line : (text(file) + "\n\n").lines().toList()) {
      number++;
      if (line.isBlank()) {
        if (!block.isEmpty()) {
          boolean complete = block.size() > 1;
          cases.add(
              new Case(
                  first,
                  block.getFirst(),
                  complete && !fails ? block.get(1) : "null",
                  complete ? List.copyOf(block.subList(2, Math.max(2, block.size()))) : List.of(),
                  fails));
        }
        block.clear();
        fails = false;
      } else if (line.startsWith("%%FAIL")) {
        fails = true;
      } else if (!line.startsWith("#")) {
        first = block.isEmpty() ? number : first;
        block.add(line);
      }
    }
    return cases;
  }

  static String text(String file) {
    try (InputStream in = JqSuite.class.getResourceAsStream("/jq/" + file)) {
      if (in == null) {
        throw new IllegalArgumentException("missing file " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Outcome run(Case test) {
    JqProgram program;
    try {
      program = JqProgram.compile(test.program());
    } catch (JqSyntaxException e) {
      return new Outcome(test.fails(), true, "refused: " + e.getMessage());
    }
    if (test.fails()) {
      return new Outcome(false, false, "compiles");
    }
    List<JsonNode> results = new ArrayList<>();
    String end = "";
    try {
      program.run(tree(test.input()), MAX_NANOS, MAX_BYTES, results::add);
    } catch (JqException e) {
      end = " error: " + e.getMessage();
    } catch (JqLimitException e) {
      end = " bound: " + e.getMessage();
    } catch (JsonProcessingException e) {
      return new Outcome(false, true, "input: " + e.getOriginalMessage());
    }
    JqEvaluator m = new JqEvaluator(JqEvaluator.NULL, MAX_NANOS, MAX_BYTES);
    boolean same = results.size() == test.results().size();
    for (int i = 0; i < results.size() && same; i++) {
      try {
        same = JqTypeSystem.same(m, results.get(i), tree(test.results().get(i)));
      } catch (JsonProcessingException e) {
        same = false;
      }
    }
    StringBuilder seen = new StringBuilder();
    results.stream()
        .limit(10)
        .forEach(result -> seen.append(JqJsonWriter.of(m, result)).append(' '));
    return new Outcome(same, false, seen + end);
  }

  private static JsonNode tree(String text) throws JsonProcessingException {
    return text.strip().equals("nan") || text.strip().equals("NaN")
        ? JqArithmetic.of(Double.NaN)
        : Json.checkedTree(text);
  }

  public static void main(String[] files) {
    for (String file : files) {
      int same = 0;
      int all = 0;
      for (Case test : read(file)) {
        all++;
        Outcome outcome = run(test);
        if (outcome.same()) {
          same++;
        } else {
          System.out.println(
              file
                  + ":"
                  + test.line()
                  + "  "
                  + test.program()
                  + "\n    in:   "
                  + test.input()
                  + "\n    want: "
                  + test.results()
                  + (test.fails() ? " FAIL" : "")
                  + "\n    seen: "
                  + outcome.seen());
        }
      }
      System.out.println("== " + file + ": " + same + " of " + all + " the same");
    }
  }
}
