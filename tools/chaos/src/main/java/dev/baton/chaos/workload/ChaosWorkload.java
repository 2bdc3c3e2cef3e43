/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.workload;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The workflows of the workload, each a YAML file of its name. Their outputs depend only on the
 * definition. Every shell step appends to the effects ledger when it begins and when it ends; the
 * server of HTTP requests appends for these.
 */
public enum ChaosWorkload {
  /** Files that are created and changed, step by step. */
  FILES(4),
  /** Branches that change separate files, which are merged. */
  BRANCHES(3),
  /** A step that fails first, and one that is visited again. */
  RETRIES(3),
  /** No files: requests, a loop, waits, and branches, on a runner that executes many runs. */
  LIGHT(7),
  /** Approvals, which the workload client answers. */
  APPROVALS(5),
  /** A mix of all kinds. */
  MIXED(3);

  private static final String EFFECT =
      "e() { printf '%s %s %s %s %s %s\\n' \"$BATON_IDEMPOTENCY_KEY\" \"$BATON_ATTEMPT\""
          + " \"$BATON_EPOCH\" \"$1\" \"$$\" \"$(date +%s%N)\" >> \"$LEDGER\"; }";
  private static final int ALL = Stream.of(values()).mapToInt(one -> one.weight).sum();

  private final int weight;
  private final String definition;

  ChaosWorkload(int weight) {
    this.weight = weight;
    this.definition = resource(workflow() + ".yaml").replace("EFFECT", EFFECT);
  }

  private static String resource(String name) {
    try (InputStream in =
        Objects.requireNonNull(ChaosWorkload.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " cannot be read", e);
    }
  }

  /** The definition in YAML. */
  public String definition() {
    return definition;
  }

  /** The workflow's name. */
  public String workflow() {
    return "chaos-" + name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the workload of the n-th run of an experiment: the first runs have one of each kind, in
   * random order, so that a short experiment also checks every guarantee; later ones are chosen by
   * weight.
   *
   * @param n from 0
   * @param order random numbers that are the same for each {@code n}
   * @param own random numbers of this run
   */
  public static ChaosWorkload choose(int n, Random order, Random own) {
    List<ChaosWorkload> each = new ArrayList<>(List.of(values()));
    Collections.shuffle(each, order);
    return n < each.size() ? each.get(n) : byWeight(own);
  }

  private static ChaosWorkload byWeight(Random random) {
    int left = random.nextInt(ALL);
    for (ChaosWorkload one : values()) {
      left -= one.weight;
      if (left < 0) {
        return one;
      }
    }
    throw new AssertionError("the weights are " + ALL);
  }
}
