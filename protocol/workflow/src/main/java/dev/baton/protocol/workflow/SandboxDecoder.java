/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Template;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Decodes {@code sandbox}, and refuses steps that cannot work in theirs. */
record SandboxDecoder(DefinitionValueDecoder values) {
  private static final List<String> KEYS =
      List.of("network", "hosts", "read_only", "write", "user");
  private static final String ALLOWED = "true, false, or " + String.join(", ", KEYS);
  private static final int MAX_PATH = 4_096;

  /** What each sandbox has of its own. */
  private static final List<String> PRIVATE = List.of("/proc", "/dev", "/sys", "/tmp");

  /** Decodes a sandbox; empty for {@code false}, and after a problem. */
  Optional<SandboxRule> decode(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      return values.flag(place).filter(wanted -> wanted).map(wanted -> SandboxRule.DEFAULT);
    }
    Optional<MappingFieldReader> found = MappingFieldReader.of(place, values, ALLOWED);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(KEYS);
    OptionalInt user = fields.integer("user", 0, SandboxRule.MAX_USER);
    SandboxNetwork network =
        fields.choice("network", networks()).orElse(SandboxRule.DEFAULT.network());
    return Optional.of(
        new SandboxRule(
            network,
            hosts(fields, network),
            paths(fields, "read_only", true),
            paths(fields, "write", false),
            user));
  }

  private static Map<String, SandboxNetwork> networks() {
    Map<String, SandboxNetwork> networks = new LinkedHashMap<>();
    for (SandboxNetwork network : SandboxNetwork.values()) {
      networks.put(network.word(), network);
    }
    return networks;
  }

  private List<SandboxHost> hosts(MappingFieldReader fields, SandboxNetwork network) {
    Optional<DefinitionCursor> place = fields.get("hosts");
    if (network != SandboxNetwork.PROXY) {
      place.ifPresent(
          at ->
              values
                  .problems()
                  .error(
                      at,
                      "a sandbox with the network '" + network.word() + "' has no 'hosts'",
                      "network: proxy"));
      return List.of();
    }
    if (place.isEmpty()) {
      fields.refuse(
          "network", "'hosts' is missing: those that the proxy permits", SandboxHost.ALLOWED);
      return List.of();
    }
    return values
        .oneOrMore(
            place.get(),
            SandboxRule.MAX_HOSTS,
            "hosts",
            "1 to " + SandboxRule.MAX_HOSTS + " hosts, or a single one")
        .stream()
        .flatMap(item -> host(item).stream())
        .toList();
  }

  private Optional<SandboxHost> host(DefinitionCursor item) {
    return values
        .text(item, MAX_PATH)
        .flatMap(
            text -> {
              Optional<SandboxHost> host = SandboxHost.parse(text);
              if (host.isEmpty()) {
                values.problems().error(item, "'" + text + "' is not a host", SandboxHost.ALLOWED);
              }
              return host;
            });
  }

  private List<String> paths(MappingFieldReader fields, String key, boolean inWorkspace) {
    String allowed =
        inWorkspace
            ? "an absolute path, or one in the workspace, without '..'"
            : "an absolute path without '..'";
    return fields
        .get(key)
        .map(
            place ->
                values.oneOrMore(
                    place,
                    SandboxRule.MAX_PATHS,
                    "paths",
                    "1 to " + SandboxRule.MAX_PATHS + " paths, or a single one"))
        .orElse(List.of())
        .stream()
        .flatMap(
            item ->
                values
                    .text(item, MAX_PATH)
                    .filter(path -> isPath(item, path, inWorkspace, allowed))
                    .stream())
        .toList();
  }

  private boolean isPath(DefinitionCursor item, String path, boolean inWorkspace, String allowed) {
    boolean good =
        !path.isBlank()
            && (inWorkspace || path.startsWith("/"))
            && !Template.isTemplate(path)
            && Path.of(path).normalize().toString().equals(path)
            && !Path.of(path).startsWith("..")
            && !path.equals("/");
    if (!good) {
      values.problems().error(item, "'" + path + "' is not a path for a sandbox", allowed);
      return false;
    }
    for (String own : PRIVATE) {
      if (Path.of(path).startsWith(own)) {
        values
            .problems()
            .error(item, "a sandbox has a " + own + " of its own", "a path outside of " + own);
        return false;
      }
    }
    return true;
  }

  /** Reports what cannot work in the sandbox of a step. */
  void check(SandboxRule rule, MappingFieldReader step, StepKind kind) {
    rule.conflict(kind)
        .ifPresent(conflict -> step.refuse(kind.word(), conflict.problem(), conflict.allowed()));
  }
}
