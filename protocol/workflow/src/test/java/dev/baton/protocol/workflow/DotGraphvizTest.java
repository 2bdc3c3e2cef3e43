/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the reader's nodes, edges and attributes with those of Graphviz, where {@code dot} is
 * installed: for the examples of Debian's package ({@code -Dbaton.graphviz.examples=FOLDER} for
 * others), and for generated graphs ({@code -Dbaton.seed=N} repeats those of a seed).
 */
class DotGraphvizTest {
  private static final int GRAPHS = 300;
  private static final List<String> LAID_OUT = List.of("_gvid", "tail", "head", "name");

  @TempDir Path folder;

  /** Nodes with their attributes, and edges with theirs. */
  private record Shown(Collection<String> nodes, Collection<String> edges) {}

  @BeforeAll
  static void needsGraphviz() {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "dot"))),
        "graphviz is not installed");
  }

  @Test
  @Timeout(300)
  void shouldReadTheExamplesAsGraphvizDoes() throws Exception {
    Path examples =
        Path.of(System.getProperty("baton.graphviz.examples", "/usr/share/doc/graphviz/examples"));
    assumeTrue(Files.isDirectory(examples), "no examples in " + examples);
    int same = 0;
    List<String> refused = new ArrayList<>();
    List<String> different = new ArrayList<>();
    for (Path file : files(examples)) {
      byte[] bytes = bytes(file);
      DefinitionProblemCollector problems = new DefinitionProblemCollector();
      Optional<String> text = text(bytes);
      DotGraph graph = text.isEmpty() ? null : new DotReader(problems).graph(text.get());
      if (graph == null) {
        String reason =
            text.isEmpty()
                ? "the definition is not UTF-8"
                : problems.errors().getFirst().describe();
        refused.add(file.getFileName() + ": " + reason);
        continue;
      }
      boolean equal = graphviz(bytes).filter(shown(graph)::equals).isPresent();
      same += equal ? 1 : 0;
      if (!equal) {
        different.add(file.toString());
      }
    }
    System.out.println(
        "DotGraphvizTest: "
            + same
            + " same, "
            + refused.size()
            + " refused, different: "
            + different);
    refused.forEach(System.out::println);
    assertThat(different).isEmpty();
    assertThat(same).isPositive();
    assertThat(refused).hasSizeLessThan(Math.max(2, same / 5));
  }

  @Test
  @Timeout(300)
  void shouldReadGeneratedGraphsAsGraphvizDoes() throws Exception {
    long seed = Long.getLong("baton.seed", new Random().nextLong());
    System.out.println("DotGraphvizTest: -Dbaton.seed=" + seed);
    DotSamples samples = new DotSamples(new Random(seed));
    for (int i = 0; i < GRAPHS; i++) {
      String text = samples.spell(samples.graph());
      DefinitionProblemCollector problems = new DefinitionProblemCollector();
      DotGraph graph = new DotReader(problems).graph(text);
      Optional<Shown> theirs = graphviz(text.getBytes(StandardCharsets.UTF_8));

      assertThat(theirs).describedAs(text).isPresent();
      if (graph == null) {
        assertThat(DotGrammarTest.isRefused(problems)).describedAs(text).isTrue();
      } else {
        assertThat(shown(graph)).describedAs(text).isEqualTo(theirs.get());
      }
    }
  }

  private static List<Path> files(Path examples) throws IOException {
    try (Stream<Path> all = Files.walk(examples)) {
      return all.filter(it -> it.toString().matches(".*\\.(gv|dot)(\\.gz)?")).sorted().toList();
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (!file.toString().endsWith(".gz")) {
      return bytes;
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    }
  }

  private static Optional<String> text(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  private static Shown shown(DotGraph graph) {
    List<String> edges = new ArrayList<>();
    List<String> names = DotGrammarTest.edges(graph);
    for (int i = 0; i < names.size(); i++) {
      edges.add(names.get(i) + attributes(graph.edges.get(i).attributes()));
    }
    return new Shown(
        new TreeSet<>(
            graph.nodes.values().stream()
                .map(it -> it.id() + attributes(it.attributes()))
                .toList()),
        edges.stream().sorted().toList());
  }

  private static String attributes(DotGraph.Attributes attributes) {
    TreeMap<String, String> all = new TreeMap<>();
    attributes.all().forEach(it -> all.put(it.name().text(), it.text()));
    return cleaned(all);
  }

  /** Removes what the layout adds: ports, the default label, and values without meaning. */
  private static String cleaned(TreeMap<String, String> all) {
    all.keySet().removeAll(List.of("headport", "tailport", "key"));
    all.remove("label", "\\N");
    all.values().removeIf(String::isEmpty);
    return all.toString();
  }

  /** Returns the output of {@code dot}; empty where it rejects the text. */
  private Optional<Shown> graphviz(byte[] text) throws Exception {
    Path in = Files.write(folder.resolve("in.gv"), unix(text));
    Path out = folder.resolve("out.json");
    Process dot =
        new ProcessBuilder("dot", "-Tdot_json", "-o", out.toString(), in.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said").toFile())
            .start();
    assertThat(dot.waitFor(60, TimeUnit.SECONDS)).isTrue();
    if (dot.exitValue() != 0) {
      return Optional.empty();
    }
    JsonNode json = Json.mapper().readTree(Files.readString(out, StandardCharsets.UTF_8));
    List<String> names = new ArrayList<>();
    List<String> nodes = new ArrayList<>();
    int subgraphs = json.path("_subgraph_cnt").asInt();
    for (JsonNode object : json.path("objects")) {
      String name = object.path("name").asText();
      names.add(name);
      if (names.size() > subgraphs) {
        nodes.add(name + attributes(object));
      }
    }
    List<String> edges = new ArrayList<>();
    boolean directed = json.path("directed").asBoolean();
    for (JsonNode edge : json.path("edges")) {
      String tail = names.get(edge.path("tail").asInt());
      String head = names.get(edge.path("head").asInt());
      edges.add(ends(tail, head, directed) + attributes(edge));
    }
    return Optional.of(new Shown(new TreeSet<>(nodes), edges.stream().sorted().toList()));
  }

  private static String ends(String tail, String head, boolean directed) {
    if (directed) {
      return tail + " -> " + head;
    }
    int order = tail.compareTo(head);
    return order == 0 ? tail : order < 0 ? tail + " -- " + head : head + " -- " + tail;
  }

  /** Converts line ends as the reader does: Graphviz keeps {@code \r} in strings. */
  private static byte[] unix(byte[] text) {
    return new String(text, StandardCharsets.UTF_8)
        .replace("\r\n", "\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static String attributes(@Nullable JsonNode object) {
    TreeMap<String, String> all = new TreeMap<>();
    if (object != null) {
      object
          .properties()
          .forEach(
              entry -> {
                if (!LAID_OUT.contains(entry.getKey())) {
                  all.put(entry.getKey(), entry.getValue().asText());
                }
              });
    }
    return cleaned(all);
  }
}
