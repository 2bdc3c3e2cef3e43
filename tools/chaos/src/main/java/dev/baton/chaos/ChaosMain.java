/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos;

import dev.baton.chaos.check.ChaosVerdict;
import dev.baton.chaos.fault.FaultKind;
import dev.baton.chaos.history.ChaosHistoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of {@code baton chaos}. Exit code 0: all invariants hold; 1: an invariant is
 * violated, or a verdict is missing; 2: the arguments are wrong.
 */
public final class ChaosMain {
  private static final String USAGE =
      "usage: [--seed N] [--minutes M] [--runs R] [--faults F] [--at-once A] [--bound-seconds B]"
          + " [--replicas N] [--only KIND,...] [--out DIR] [--json] | --check DIR [--json]";
  private static final double FAULTS_PER_MINUTE = 50;

  private ChaosMain() {}

  /** Runs the program; see the class for the exit codes. */
  public static void main(String... args) {
    System.exit(run(args));
  }

  private static int run(String... args) {
    try {
      Arguments arguments = Arguments.parse(args);
      ChaosVerdict verdict =
          arguments.check == null
              ? ChaosExperiment.run(arguments.options(), line -> System.err.println(line))
              : recorded(arguments.check);
      print(verdict, arguments.json);
      return verdict.ok() ? 0 : 1;
    } catch (IllegalArgumentException e) {
      System.err.println("baton: " + e.getMessage());
      return 2;
    } catch (IOException | IllegalStateException e) {
      System.err.println("baton: " + e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      System.err.println("baton: interrupted");
      return 130;
    }
  }

  private static ChaosVerdict recorded(Path folder) {
    try {
      return ChaosExperiment.check(folder);
    } catch (IOException e) {
      throw new IllegalArgumentException("--check " + folder + ": " + e.getMessage(), e);
    }
  }

  private static void print(ChaosVerdict verdict, boolean json) throws IOException {
    if (json) {
      System.out.println(
          ChaosHistoryStore.JSON
              .writerWithDefaultPrettyPrinter()
              .writeValueAsString(verdict.json()));
    } else {
      verdict.lines().forEach(System.out::println);
    }
  }

  /** The arguments as given; only their syntax is checked. */
  private static final class Arguments {
    private long seed = System.nanoTime() & 0xffffff;
    private double minutes = 5;
    private int runs = 50;
    private int faults = -1;
    private int atOnce = 8;
    private int replicas = 1;
    private int boundSeconds = 300;
    private Set<FaultKind> kinds = Set.of();
    private @Nullable Path out;
    private @Nullable Path check;
    private boolean json;

    static Arguments parse(String... args) {
      Arguments parsed = new Arguments();
      for (int i = 0; i < args.length; i++) {
        if (args[i].equals("--json")) {
          parsed.json = true;
          continue;
        }
        if (i + 1 == args.length) {
          throw new IllegalArgumentException(args[i] + " has no value\n" + USAGE);
        }
        parsed.set(args[i], args[++i]);
      }
      return parsed;
    }

    private void set(String name, String value) {
      try {
        switch (name) {
          case "--seed" -> seed = Long.parseLong(value);
          case "--minutes" -> minutes = Double.parseDouble(value);
          case "--runs" -> runs = Integer.parseInt(value);
          case "--faults" -> faults = Integer.parseInt(value);
          case "--at-once" -> atOnce = Integer.parseInt(value);
          case "--replicas" -> replicas = Integer.parseInt(value);
          case "--bound-seconds" -> boundSeconds = Integer.parseInt(value);
          case "--only" -> kinds = kinds(value);
          case "--out" -> out = Path.of(value);
          case "--check" -> check = Path.of(value);
          default -> throw new IllegalArgumentException("unknown argument " + name + "\n" + USAGE);
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(name + " " + value + " is not a number", e);
      }
    }

    private static Set<FaultKind> kinds(String names) {
      Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
      for (String name : names.split(",", -1)) {
        Optional<FaultKind> kind =
            Stream.of(FaultKind.values()).filter(one -> one.name().equals(name)).findFirst();
        kinds.add(
            kind.orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "--only %s is not a kind of fault; allowed: %s"
                            .formatted(name, List.of(FaultKind.values())))));
      }
      return kinds;
    }

    ChaosOptions options() {
      int planned = faults < 0 ? (int) Math.ceil(minutes * FAULTS_PER_MINUTE) : faults;
      Path folder = out == null ? Path.of("chaos-" + seed) : out;
      System.err.println(
          "--seed %d --minutes %s --runs %d --faults %d --at-once %d --replicas %d; the history is written to %s"
              .formatted(seed, minutes, runs, planned, atOnce, replicas, folder.toAbsolutePath()));
      return new ChaosOptions(
          seed,
          Duration.ofMillis((long) (minutes * 60_000)),
          runs,
          planned,
          folder,
          Duration.ofSeconds(boundSeconds),
          atOnce,
          replicas,
          kinds);
    }
  }
}
