/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Maintains {@code index.json}: the commits of each run, in the order of its milestones. It is for
 * people and other programs; the sidecars are authoritative.
 */
final class SidecarIndex {
  static final String NAME = "index.json";

  private final Path file;

  SidecarIndex(Path folder) {
    this.file = folder.resolve(NAME);
  }

  /** Adds a sidecar. An index that is missing or unreadable is rebuilt from all sidecars. */
  void add(MilestoneSidecar sidecar, SidecarStore all) throws IOException {
    Map<String, Set<String>> runs;
    try {
      runs = read();
    } catch (IOException | IllegalArgumentException e) {
      rebuild(all.list());
      return;
    }
    runs.computeIfAbsent(sidecar.runId(), run -> new LinkedHashSet<>()).add(sidecar.sha());
    write(runs);
  }

  void rebuild(SidecarStore.Listing listing) throws IOException {
    write(of(listing));
  }

  List<String> problems(SidecarStore.Listing listing) {
    Map<String, Set<String>> told;
    try {
      told = read();
    } catch (NoSuchFileException e) {
      return listing.sidecars().isEmpty() ? List.of() : List.of("missing " + NAME);
    } catch (IOException | IllegalArgumentException e) {
      return List.of(NAME + " cannot be read: " + e.getMessage());
    }
    Map<String, Set<String>> there = of(listing);
    List<String> problems = new ArrayList<>();
    Set<String> runs = new TreeSet<>(told.keySet());
    runs.addAll(there.keySet());
    for (String run : runs) {
      Set<String> named = told.getOrDefault(run, Set.of());
      Set<String> found = there.getOrDefault(run, Set.of());
      named.stream()
          .filter(sha -> !found.contains(sha))
          .forEach(
              sha ->
                  problems.add(
                      "%s names %s of run %s, which has no sidecar".formatted(NAME, sha, run)));
      found.stream()
          .filter(sha -> !named.contains(sha))
          .forEach(sha -> problems.add("%s does not name %s of run %s".formatted(NAME, sha, run)));
    }
    return problems;
  }

  private static Map<String, Set<String>> of(SidecarStore.Listing listing) {
    return listing.sidecars().stream()
        .collect(
            Collectors.groupingBy(
                MilestoneSidecar::runId,
                TreeMap::new,
                Collectors.mapping(
                    MilestoneSidecar::sha, Collectors.toCollection(LinkedHashSet::new))));
  }

  private Map<String, Set<String>> read() throws IOException {
    JsonNode node = Json.mapper().readTree(Files.readAllBytes(file));
    if (!node.path("runs").isObject()) {
      throw new IllegalArgumentException("it has no object 'runs'");
    }
    Map<String, Set<String>> runs = new LinkedHashMap<>();
    node.path("runs")
        .properties()
        .forEach(
            run -> {
              Set<String> shas = new LinkedHashSet<>();
              run.getValue().forEach(sha -> shas.add(sha.asText()));
              runs.put(run.getKey(), shas);
            });
    return runs;
  }

  private void write(Map<String, Set<String>> runs) throws IOException {
    ObjectNode node = Json.mapper().createObjectNode();
    node.put("schema_version", MilestoneSidecar.SCHEMA_VERSION);
    ObjectNode all = node.putObject("runs");
    runs.forEach((run, shas) -> shas.forEach(all.putArray(run)::add));
    AtomicFileWriter.write(file, (node.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
