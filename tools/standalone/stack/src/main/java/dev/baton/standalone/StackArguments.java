/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of the supervisor program.
 *
 * @param action what to do
 * @param data the data folder
 * @param components the selected components
 * @param port the orchestrator's port; 0 for any
 * @param foreground whether this process supervises the stack itself
 * @param train whether this run is recorded into AOT caches
 * @param force whether existing AOT caches are created again
 * @param tls whether both services accept only TLS
 * @param compact whether the stack uses less memory in place of speed
 */
record StackArguments(
    Action action,
    Path data,
    Set<StackComponent> components,
    int port,
    boolean foreground,
    boolean train,
    boolean force,
    boolean tls,
    boolean compact) {

  private static final String USAGE =
      """
      usage: up --data DIR [--port N] [--tls] [--compact] [--foreground] [--train] [--components NAME,…]
             down --data DIR
             aot-cache --data DIR [--force] [--components NAME,…]""";

  enum Action {
    UP,
    DOWN,
    AOT_CACHE
  }

  /**
   * @throws IllegalArgumentException naming the wrong argument and what is allowed
   */
  static StackArguments parse(String... args) {
    if (args.length == 0) {
      throw new IllegalArgumentException(USAGE);
    }
    Action action =
        switch (args[0]) {
          case "up" -> Action.UP;
          case "down" -> Action.DOWN;
          case "aot-cache" -> Action.AOT_CACHE;
          default -> throw new IllegalArgumentException("unknown action " + args[0] + "\n" + USAGE);
        };
    @Nullable Path data = null;
    Set<StackComponent> components = EnumSet.allOf(StackComponent.class);
    int port = 0;
    boolean foreground = false;
    boolean train = false;
    boolean force = false;
    boolean tls = false;
    boolean compact = false;
    for (int i = 1; i < args.length; i++) {
      switch (args[i]) {
        case "--foreground" -> foreground = true;
        case "--train" -> train = true;
        case "--force" -> force = true;
        case "--tls" -> tls = true;
        case "--compact" -> compact = true;
        case "--port" -> port = port(value(args, ++i));
        case "--data" -> data = Path.of(value(args, ++i));
        case "--components" -> components = components(value(args, ++i));
        default -> throw new IllegalArgumentException("unknown argument " + args[i] + "\n" + USAGE);
      }
    }
    if (data == null) {
      throw new IllegalArgumentException("--data is missing\n" + USAGE);
    }
    return new StackArguments(
        action, data, components, port, foreground, train, force, tls, compact);
  }

  /**
   * Returns the arguments of a supervisor process for this start: the same ones, in the foreground,
   * with an absolute data folder.
   */
  List<String> supervisor() {
    List<String> line = new ArrayList<>(List.of("up", "--foreground"));
    line.addAll(List.of("--data", data.toAbsolutePath().toString()));
    line.add("--components");
    line.add(components.stream().map(StackComponent::label).collect(Collectors.joining(",")));
    if (port > 0) {
      line.addAll(List.of("--port", Integer.toString(port)));
    }
    if (train) {
      line.add("--train");
    }
    if (tls) {
      line.add("--tls");
    }
    if (compact) {
      line.add("--compact");
    }
    return line;
  }

  private static String value(String[] args, int index) {
    if (index == args.length) {
      throw new IllegalArgumentException(args[index - 1] + " has no value\n" + USAGE);
    }
    return args[index];
  }

  private static int port(String text) {
    if (!text.matches("[1-9][0-9]{0,4}") || Integer.parseInt(text) > 65535) {
      throw new IllegalArgumentException("--port " + text + " is not 1 to 65535");
    }
    return Integer.parseInt(text);
  }

  private static Set<StackComponent> components(String names) {
    return Arrays.stream(names.split(",", -1))
        .map(StackArguments::component)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(StackComponent.class)));
  }

  private static StackComponent component(String name) {
    return Arrays.stream(StackComponent.values())
        .filter(component -> component.label().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown component '%s'; allowed: %s"
                        .formatted(
                            name,
                            Arrays.stream(StackComponent.values())
                                .map(StackComponent::label)
                                .collect(Collectors.joining(", ")))));
  }
}
