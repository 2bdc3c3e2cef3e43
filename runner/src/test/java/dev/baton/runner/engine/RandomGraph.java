/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Generates a random workflow: retries, conditions, weights, failure handling, loops, gates,
 * parallel steps with every join, approvals. Its path depends only on the seed, with one exception:
 * how far branches proceed that no join waits for.
 */
final class RandomGraph {
  /** How a line of steps must end. */
  private enum Fate {
    /** In any way. */
    FREE,
    /** Completes. */
    WIN,
    /** Fails at some step. */
    FAIL,
    /** Waits forever. */
    HANG
  }

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Random random;
  private int steps;

  /** Paths of branches whose progress may differ between executions. */
  final Set<String> left = new HashSet<>();

  final ObjectNode definition;

  RandomGraph(long seed) {
    random = new Random(seed);
    definition = JSON.objectNode();
    definition.put("name", "graph");
    definition.put("max_reroutes", random.nextInt(5));
    definition.set("steps", line("", 0, Fate.FREE, 3 + random.nextInt(5)));
  }

  private ArrayNode line(String branch, int depth, Fate fate, int length) {
    List<ObjectNode> made = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      ObjectNode step = JSON.objectNode();
      String id = "s" + ++steps;
      step.put("id", id);
      boolean last = i == length - 1;
      if (last && fate == Fate.HANG) {
        step.put("approval", "never");
      } else if (last && fate == Fate.FAIL) {
        work(step, "fail", 0, false);
      } else {
        act(step, branch.isEmpty() ? id : branch + "/" + id, depth, fate == Fate.FREE);
      }
      made.add(step);
    }
    if (fate == Fate.FREE) {
      for (int i = 0; i < made.size(); i++) {
        ways(made, i);
      }
    }
    ArrayNode list = JSON.arrayNode();
    made.forEach(list::add);
    return list;
  }

  private void act(ObjectNode step, String path, int depth, boolean free) {
    int kind = random.nextInt(depth < 2 ? 10 : 8);
    switch (kind) {
      case 0, 1, 2 -> {
        int retries = random.nextInt(3);
        work(step, free && random.nextInt(3) > 0 ? "maybe" : "late", retries, free);
      }
      case 3, 4 ->
          // All that a step can see.
          step.put(
              "transform",
              "[.steps | to_entries[] | [.key, .value.outcome, .value.error.code, .value.output]] | tojson | explode | add");
      case 5 -> step.put("approval", free && random.nextInt(3) == 0 ? "maybe" : "yes");
      case 6 -> step.put("wait", "1ms");
      case 7 -> {
        step.put("transform", "1");
        step.put("when", random.nextBoolean() ? "false" : "(.steps | length) % 2 == 0");
      }
      default -> parallel(step, path, depth, free);
    }
  }

  /**
   * @param tells whether its result contains the number of the visit, which it must not if that
   *     depends on how far its branch got before
   */
  private void work(ObjectNode step, String how, int retries, boolean tells) {
    ObjectNode fn = step.putObject("fn");
    fn.put("bean", "work");
    fn.putObject("args").put("how", how).put("retries", retries).put("tells", tells);
    step.putObject("retry").put("max", retries).put("backoff", "0s");
  }

  private void parallel(ObjectNode step, String path, int depth, boolean free) {
    ObjectNode parallel = step.putObject("parallel");
    parallel.put("max", 1 + random.nextInt(4));
    switch (random.nextInt(4)) {
      case 0 -> {
        int items = random.nextInt(4);
        boolean one = items == 1 && free;
        parallel.put("over", "[range(" + items + ")]");
        parallel.set("steps", line(path + "/*", depth + 1, one ? Fate.FREE : Fate.WIN, length()));
      }
      case 1 -> {
        ObjectNode branches = parallel.putObject("branches");
        int count = 1 + random.nextInt(3);
        int loose = free ? random.nextInt(count) : -1;
        for (int b = 0; b < count; b++) {
          if (loose >= 0 && b != loose) {
            left.add(path + "/b" + b);
          }
          Fate fate = b == loose ? Fate.FREE : Fate.WIN;
          branches.set("b" + b, line(path + "/b" + b, depth + 1, fate, length()));
        }
      }
      default -> {
        int wanted = 1 + random.nextInt(2);
        int others = random.nextInt(3);
        // Branches that hang would keep the others from their turn.
        parallel.put("max", wanted + others);
        if (wanted == 1 && random.nextBoolean()) {
          parallel.put("join", "any");
        } else {
          parallel.put("join", wanted);
        }
        ObjectNode branches = parallel.putObject("branches");
        for (int b = 0; b < wanted + others; b++) {
          Fate fate = b < wanted ? Fate.WIN : random.nextBoolean() ? Fate.FAIL : Fate.HANG;
          if (b >= wanted) {
            left.add(path + "/b" + b);
          }
          branches.set("b" + b, line(path + "/b" + b, depth + 1, fate, length()));
        }
      }
    }
  }

  private int length() {
    return 1 + random.nextInt(3);
  }

  private void ways(List<ObjectNode> line, int at) {
    ObjectNode step = line.get(at);
    String id = step.path("id").asText();
    if (random.nextInt(3) == 0) {
      ArrayNode next = step.putArray("next");
      boolean back = false;
      int arms = 1 + random.nextInt(3);
      for (int i = 0; i < arms; i++) {
        int to = random.nextInt(line.size() + 1);
        back |= to <= at;
        ObjectNode arm = next.addObject();
        arm.put("on", List.of("success", "failure", "any").get(random.nextInt(3)));
        arm.put("when", condition(id));
        arm.put("weight", random.nextInt(3));
        arm.put("to", to == line.size() ? "end" : line.get(to).path("id").asText());
      }
      if (back) {
        step.put("max_visits", 2 + random.nextInt(3));
      }
    }
    if (random.nextInt(3) == 0) {
      ObjectNode gate = step.putObject("gate");
      if (random.nextInt(6) > 0) {
        gate.put("to", line.get(random.nextInt(line.size())).path("id").asText());
      }
      if (random.nextBoolean()) {
        gate.put("when", condition(id));
      }
    }
  }

  private String condition(String id) {
    return switch (random.nextInt(6)) {
      case 0 -> "true";
      case 1 -> ".steps." + id + ".outcome == \"success\"";
      case 2 -> "(.steps." + id + ".output.visit? // 0) < 2";
      case 3 -> "(.steps." + id + ".error.code // \"\") != \"function\"";
      case 4 -> "(.steps." + id + ".output.visit? // 0) > 2";
      default -> "(.steps | length) % 2 == 1";
    };
  }
}
