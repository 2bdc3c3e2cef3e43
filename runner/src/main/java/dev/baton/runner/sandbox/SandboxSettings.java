/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import dev.baton.protocol.workflow.SandboxHost;
import dev.baton.protocol.workflow.SandboxNetwork;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which sandboxes a runner demands and permits.
 *
 * @param required whether programs of steps without {@code sandbox} get one, too
 * @param network the widest network that a sandbox may have
 * @param hosts to which workflows may let their programs connect through the proxy; empty for all
 * @param paths that workflows may show in sandboxes: a path, or a folder followed by {@code /**}
 * @param shown paths that each sandbox shows read-only, in addition to those of the system
 */
public record SandboxSettings(
    boolean required,
    SandboxNetwork network,
    List<SandboxHost> hosts,
    List<String> paths,
    List<Path> shown) {
  public static final String REQUIRED = "baton.sandbox.required";
  public static final String NETWORK = "baton.sandbox.network";
  public static final String HOSTS = "baton.sandbox.hosts";
  public static final String PATHS = "baton.sandbox.paths";
  public static final String SHOWN = "baton.sandbox.show";

  /** No step must have a sandbox, and workflows show no further paths in theirs. */
  public static final SandboxSettings NONE =
      new SandboxSettings(false, SandboxNetwork.HOST, List.of(), List.of(), List.of());

  private static final String BELOW = "/**";

  public SandboxSettings {
    hosts = List.copyOf(hosts);
    paths = List.copyOf(paths);
    shown = List.copyOf(shown);
  }

  /**
   * @param values returns the value of a key, if it is set
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  public static SandboxSettings read(Function<String, Optional<String>> values) {
    return new SandboxSettings(
        required(values.apply(REQUIRED).orElse("false").strip()),
        network(values.apply(NETWORK).orElse(SandboxNetwork.HOST.word()).strip()),
        hosts(values.apply(HOSTS).orElse("")),
        paths(PATHS, values, true),
        paths(SHOWN, values, false).stream().map(Path::of).toList());
  }

  private static boolean required(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(REQUIRED, text, "true or false");
    };
  }

  private static SandboxNetwork network(String text) {
    return Arrays.stream(SandboxNetwork.values())
        .filter(network -> network.word().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                wrong(
                    NETWORK,
                    text,
                    String.join(
                        ", ",
                        Arrays.stream(SandboxNetwork.values())
                            .map(SandboxNetwork::word)
                            .toList())));
  }

  private static List<SandboxHost> hosts(String text) {
    return Arrays.stream(text.split(","))
        .map(String::strip)
        .filter(host -> !host.isEmpty())
        .map(
            host ->
                SandboxHost.parse(host)
                    .orElseThrow(
                        () -> wrong(HOSTS, host, SandboxHost.ALLOWED + "; separated by commas")))
        .toList();
  }

  private static List<String> paths(
      String key, Function<String, Optional<String>> values, boolean folders) {
    List<String> paths =
        Arrays.stream(values.apply(key).orElse("").split(","))
            .map(String::strip)
            .filter(path -> !path.isEmpty())
            .toList();
    for (String path : paths) {
      Path bare = Path.of(folders ? bare(path) : path);
      if (!bare.isAbsolute()
          || bare.getNameCount() == 0
          || !bare.normalize().toString().equals(folders ? bare(path) : path)) {
        throw wrong(
            key,
            path,
            "absolute paths without '..', separated by commas"
                + (folders ? "; /folder/** for all that is below a folder" : ""));
      }
    }
    return paths;
  }

  private static String bare(String path) {
    return path.endsWith(BELOW) ? path.substring(0, path.length() - BELOW.length()) : path;
  }

  private static IllegalArgumentException wrong(String key, String text, String allowed) {
    return new IllegalArgumentException(
        "%s: '%s' is not valid; allowed: %s".formatted(key, text, allowed));
  }

  /** Whether a workflow may show this absolute path. */
  boolean permits(Path path) {
    return paths.stream()
        .anyMatch(
            permitted ->
                permitted.endsWith(BELOW)
                    ? path.startsWith(bare(permitted))
                    : path.equals(Path.of(permitted)));
  }
}
