/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A graph to the tree of a workflow: nodes are steps, edges are arms, and what is between a node of
 * shape {@code component} and one of shape {@code tripleoctagon} is a parallel. Names of attributes
 * are those of steps; the names that Attractor's pipelines have for the same ({@code goal_gate},
 * {@code retry_target}, {@code max_retries}, {@code tool_command}, {@code condition}) are read,
 * too. What only styles a drawing is passed over.
 */
final class DotWorkflow {
  /** Attributes of the graph that are keys of the workflow. */
  private static final List<String> OF_WORKFLOW =
      WorkflowDecoder.KEYS.stream().filter(key -> !Set.of("name", "steps").contains(key)).toList();

  /** Attributes of a node that are keys of the step; what the graph itself says is none. */
  private static final List<String> OF_STEP =
      StepDecoder.KEYS.stream().filter(key -> !Set.of("id", "next").contains(key)).toList();

  /** Those that are text even where it looks like JSON. */
  private static final Set<String> TEXTS = Set.of("title", "when", "shell", "transform");

  private static final Set<String> OTHER_NAMES =
      Set.of(
          "handler",
          "type",
          "goal_gate",
          "retry_target",
          "max_retries",
          "tool_command",
          "label",
          "join",
          "max",
          "prompt");

  private static final Set<String> OF_EDGE = Set.of("when", "on", "condition", "weight", "label");

  /** What Graphviz draws with. */
  private static final Pattern STYLE =
      Pattern.compile(
          "shape|style|class|id|xlabel|href|url|target|tooltip|comment|group|layer|image.*|rank.*|"
              + "(font|fill|pen|label|edge|head|tail|arrow|bg|node|same|l)[a-z_]*|color(scheme)?|"
              + "width|height|fixedsize|margin|pad|sides|skew|distortion|orientation|regular|"
              + "peripheries|pos|pin|dir|decorate|constraint|minlen|splines|overlap|concentrate|"
              + "compound|size|ratio|dpi|charset|layout|newrank|clusterrank|center|rotate|ordering|"
              + "stylesheet|nojustify|lhead|ltail|sep|esep|root|start",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern CONDITION =
      Pattern.compile("\\s*outcome\\s*=\\s*(success|ok|fail|failure|any)\\s*");

  private static final Pattern JSON =
      Pattern.compile("\\s*([{\\[].*[}\\]]|-?[0-9]+|true|false|null)\\s*", Pattern.DOTALL);

  private final Set<String> placed = new HashSet<>();
  private final DotGraph graph;
  private final Problems problems;

  DotWorkflow(DotGraph graph, Problems problems) {
    this.graph = graph;
    this.problems = problems;
  }

  Located tree() {
    Mark top = new Mark(1, 1);
    List<Located.Entry> entries = new ArrayList<>();
    String name = graph.attributes.getOrDefault("name", graph.attributes.getOrDefault("ID", ""));
    if (name.isEmpty()) {
      problems.error(top, null, "", "the graph has no name", "digraph NAME { … }");
    }
    entries.add(entry("name", top, text(top, name.toLowerCase(Locale.ROOT).replace(' ', '-'))));
    String goal = graph.attributes.getOrDefault("goal", graph.attributes.get("label"));
    if (goal != null && !graph.attributes.containsKey("description")) {
      entries.add(entry("description", top, text(top, goal)));
    }
    graph.attributes.forEach(
        (key, value) -> {
          if (OF_WORKFLOW.contains(key)) {
            entries.add(
                entry(key, top, key.equals("description") ? text(top, value) : value(top, value)));
          } else if (!List.of("name", "ID", "goal", "label").contains(key) && !isStyle(key)) {
            unknown(top, null, key, OF_WORKFLOW);
          }
        });
    first()
        .ifPresent(
            first -> {
              entries.add(entry("steps", top, list(top, first, null)));
              warnOfTheOthers();
            });
    return new Located.Members(top, entries);
  }

  private void warnOfTheOthers() {
    for (DotGraph.Node node : graph.nodes.values()) {
      if (!placed.contains(node.id()) && !isStart(node) && !isEnd(node)) {
        problems.warning(node.mark(), node.id(), "", "nothing leads to this node: it is left out");
      }
    }
  }

  /**
   * Where the walk begins: after the node that marks the start, or at the one that none leads to.
   */
  private Optional<String> first() {
    List<DotGraph.Node> starts = graph.nodes.values().stream().filter(this::isStart).toList();
    if (starts.size() == 1 && starts.getFirst().out().size() == 1) {
      return Optional.of(starts.getFirst().out().getFirst().head());
    }
    List<DotGraph.Node> open =
        graph.nodes.values().stream()
            .filter(node -> !isEnd(node) && !isStart(node) && !graph.isEntered(node))
            .toList();
    if (starts.isEmpty() && open.size() == 1) {
      return Optional.of(open.getFirst().id());
    }
    problems.error(
        starts.isEmpty() ? Mark.NONE : starts.getFirst().mark(),
        null,
        "",
        starts.isEmpty()
            ? "it is not clear where the graph begins: "
                + open.size()
                + " nodes have no edge to them"
            : "there must be one start, with one edge from it",
        "one node of shape Mdiamond with one edge from it, or one node without an edge to it");
    return Optional.empty();
  }

  private boolean isStart(DotGraph.Node node) {
    return node.isShape("Mdiamond") || (node.id().equals("start") && doesNothing(node));
  }

  private boolean isEnd(DotGraph.Node node) {
    return node.isShape("Msquare")
        || (Set.of("exit", "end").contains(node.id()) && doesNothing(node));
  }

  private static boolean isFork(DotGraph.Node node) {
    return node.isShape("component") || "parallel".equals(handler(node));
  }

  private static boolean isJoin(DotGraph.Node node) {
    return node.isShape("tripleoctagon") || "join".equals(handler(node));
  }

  private static boolean doesNothing(DotGraph.Node node) {
    return handler(node) == null
        && StepDecoder.KINDS.stream().noneMatch(node::has)
        && !node.has("tool_command");
  }

  private static @Nullable String handler(DotGraph.Node node) {
    String handler = node.get("handler");
    return handler == null ? node.get("type") : handler;
  }

  /**
   * The nodes that can be reached from one, as a list of steps.
   *
   * @param join where a branch ends; null on the main line
   */
  private Located list(Mark mark, String first, @Nullable String join) {
    List<Located> steps = new ArrayList<>();
    Set<String> seen = new LinkedHashSet<>();
    List<String> open = new ArrayList<>(List.of(first));
    while (!open.isEmpty()) {
      String id = open.removeFirst();
      DotGraph.Node node = graph.node(id);
      if (id.equals(join) || isEnd(node) || !seen.add(id)) {
        continue;
      }
      placed.add(id);
      String after = isFork(node) ? joinOf(node, new HashSet<>()) : null;
      steps.add(isFork(node) ? fork(node, after, join) : step(node, join));
      if (isFork(node)) {
        if (after != null) {
          open.add(after);
        }
      } else {
        node.out().stream().map(DotGraph.Edge::head).forEach(open::add);
      }
    }
    if (steps.isEmpty()) {
      problems.error(mark, null, "", "nothing is between these nodes", "at least one step");
    }
    return new Located.Items(mark, steps);
  }

  /**
   * The node at which the branches of a fork meet; null, maybe with a problem, where they do not.
   */
  private @Nullable String joinOf(DotGraph.Node fork, Set<String> around) {
    Set<String> joins = new LinkedHashSet<>();
    if (around.add(fork.id())) {
      for (DotGraph.Edge edge : fork.out()) {
        Set<String> seen = new HashSet<>();
        List<String> open = new ArrayList<>(List.of(edge.head()));
        while (!open.isEmpty()) {
          DotGraph.Node node = graph.node(open.removeFirst());
          if (!seen.add(node.id())) {
            continue;
          }
          if (isJoin(node)) {
            joins.add(node.id());
          } else if (isFork(node)) {
            String inner = joinOf(node, around);
            if (inner != null) {
              graph.node(inner).out().forEach(out -> open.add(out.head()));
            }
          } else {
            node.out().forEach(out -> open.add(out.head()));
          }
        }
      }
      around.remove(fork.id());
    }
    if (joins.size() > 1) {
      problems.error(
          fork.mark(),
          fork.id(),
          "",
          "the branches meet at different nodes: " + String.join(", ", joins),
          "one node of shape tripleoctagon");
    }
    return joins.stream().findFirst().orElse(null);
  }

  private Located fork(DotGraph.Node node, @Nullable String join, @Nullable String around) {
    Mark mark = node.mark();
    List<Located.Entry> branches = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    for (DotGraph.Edge edge : node.out()) {
      Set<String> own = reach(edge.head(), join);
      own.stream()
          .filter(id -> !taken.add(id))
          .findFirst()
          .ifPresent(
              id ->
                  problems.error(
                      graph.node(id).mark(),
                      id,
                      "",
                      "the node is in two branches of '" + node.id() + "'",
                      "branches that meet at a node of shape tripleoctagon only"));
      branches.add(entry(edge.head(), mark, list(mark, edge.head(), join)));
    }
    List<Located.Entry> parallel = new ArrayList<>();
    parallel.add(entry("branches", mark, new Located.Members(mark, branches)));
    for (String key : List.of("join", "max")) {
      String value = node.get(key);
      if (value != null) {
        parallel.add(entry(key, mark, value(mark, value)));
      }
    }
    List<Located.Entry> entries = common(node);
    entries.add(entry("parallel", mark, new Located.Members(mark, parallel)));
    String next = join == null || join.equals(around) ? Arm.END : join;
    entries.add(entry("next", mark, text(mark, next)));
    return new Located.Members(mark, entries);
  }

  private Set<String> reach(String from, @Nullable String join) {
    Set<String> seen = new LinkedHashSet<>();
    List<String> open = new ArrayList<>(List.of(from));
    while (!open.isEmpty()) {
      String id = open.removeFirst();
      DotGraph.Node node = graph.node(id);
      if (!id.equals(join) && !isEnd(node) && seen.add(id)) {
        node.out().forEach(edge -> open.add(edge.head()));
      }
    }
    return seen;
  }

  private Located step(DotGraph.Node node, @Nullable String join) {
    Mark mark = node.mark();
    List<Located.Entry> entries = common(node);
    boolean choice = isChoice(node);
    kind(node, choice).ifPresent(entries::add);
    entries.add(entry("next", mark, ways(node, choice, join)));
    return new Located.Members(mark, entries);
  }

  /** What all kinds of steps have in common. */
  private List<Located.Entry> common(DotGraph.Node node) {
    Mark mark = node.mark();
    List<Located.Entry> entries = new ArrayList<>();
    entries.add(entry("id", mark, text(mark, node.id())));
    String label = node.get("label");
    if (label != null && !node.has("title")) {
      entries.add(entry("title", mark, text(mark, label.replace("\\n", " ").replace("\\l", " "))));
    }
    node.attributes()
        .forEach(
            (key, value) -> {
              if (StepDecoder.KINDS.contains(key)) {
                return; // With the kind.
              } else if (OF_STEP.contains(key)) {
                entries.add(entry(key, mark, read(key, mark, value)));
              } else if (!OTHER_NAMES.contains(key) && !isStyle(key)) {
                unknown(mark, node.id(), key, OF_STEP);
              }
            });
    if (node.has("max_retries") && !node.has("retry")) {
      entries.add(entry("retry", mark, value(mark, node.get("max_retries"))));
    }
    if (Boolean.parseBoolean(node.get("goal_gate")) && !node.has("gate")) {
      String target =
          node.has("retry_target")
              ? node.get("retry_target")
              : graph.attributes.get("retry_target");
      List<Located.Entry> gate = new ArrayList<>();
      if (target != null) {
        gate.add(entry("to", mark, text(mark, target)));
      }
      entries.add(entry("gate", mark, new Located.Members(mark, gate)));
    }
    return entries;
  }

  private Optional<Located.Entry> kind(DotGraph.Node node, boolean choice) {
    Mark mark = node.mark();
    for (String kind : StepDecoder.KINDS) {
      String value = node.get(kind);
      if (value != null) {
        return Optional.of(
            entry(
                kind,
                mark,
                kind.equals("http") && !value.stripLeading().startsWith("{")
                    ? new Located.Members(mark, List.of(entry("url", mark, text(mark, value))))
                    : kind.equals("approval") && choice
                        ? choices(node, value)
                        : read(kind, mark, value)));
      }
    }
    String handler = handler(node);
    String command = node.get("tool_command");
    if (command != null) {
      return Optional.of(entry("shell", mark, text(mark, command)));
    }
    if (node.isShape("hexagon") || "approval".equals(handler) || "wait.human".equals(handler)) {
      String prompt = node.has("prompt") ? node.get("prompt") : node.get("label");
      String asked = prompt == null ? node.id() : prompt;
      return Optional.of(
          entry("approval", mark, choice ? choices(node, asked) : text(mark, asked)));
    }
    if (isJoin(node) || node.isShape("diamond") || "conditional".equals(handler)) {
      return Optional.of(entry("transform", mark, text(mark, "null")));
    }
    problems.error(
        mark,
        node.id(),
        "",
        handler == null ? "the node does nothing" : "there is no handler '" + handler + "'",
        "an attribute " + String.join(", ", StepDecoder.KINDS));
    return Optional.empty();
  }

  /** Whether a person chooses the way: an approval whose edges have labels and nothing else. */
  private static boolean isChoice(DotGraph.Node node) {
    boolean asks = node.has("approval") || node.isShape("hexagon");
    return asks
        && node.out().size() > 1
        && node.out().stream()
            .allMatch(
                edge ->
                    edge.get("label") != null
                        && edge.get("when") == null
                        && edge.get("condition") == null);
  }

  private Located choices(DotGraph.Node node, String prompt) {
    Mark mark = node.mark();
    List<Located> labels =
        node.out().stream()
            .map(edge -> text(mark, String.valueOf(edge.get("label"))))
            .distinct()
            .toList();
    Located choice =
        new Located.Members(mark, List.of(entry("enum", mark, new Located.Items(mark, labels))));
    Located schema =
        new Located.Members(
            mark,
            List.of(
                entry("type", mark, text(mark, "object")),
                entry("required", mark, new Located.Items(mark, List.of(text(mark, "choice")))),
                entry(
                    "properties",
                    mark,
                    new Located.Members(mark, List.of(entry("choice", mark, choice))))));
    return new Located.Members(
        mark, List.of(entry("prompt", mark, text(mark, prompt)), entry("schema", mark, schema)));
  }

  /** The arms: those with a condition first, heavier ones before lighter ones. */
  private Located ways(DotGraph.Node node, boolean choice, @Nullable String join) {
    Mark mark = node.mark();
    List<DotGraph.Edge> edges = new ArrayList<>(node.out());
    for (DotGraph.Edge edge : edges) {
      edge.attributes().keySet().stream()
          .filter(key -> !OF_EDGE.contains(key) && !isStyle(key))
          .forEach(key -> unknown(mark, node.id(), key, List.copyOf(OF_EDGE)));
    }
    edges.sort(
        Comparator.comparing((DotGraph.Edge edge) -> !isConditional(edge, choice))
            .thenComparing(edge -> -weight(node, edge)));
    List<Located> arms = new ArrayList<>();
    for (DotGraph.Edge edge : edges) {
      List<Located.Entry> arm = new ArrayList<>();
      String to =
          edge.head().equals(join) || isEnd(graph.node(edge.head())) ? Arm.END : edge.head();
      arm.add(entry("to", mark, text(mark, to)));
      // Beside edges for one outcome, an edge that says nothing is for whatever is left.
      String on =
          hasOutcome(edge)
              ? on(node, edge)
              : edges.stream().anyMatch(DotWorkflow::hasOutcome) ? "any" : null;
      if (on != null) {
        arm.add(entry("on", mark, text(mark, on)));
      }
      String when = edge.get("when");
      if (choice) {
        when =
            ".steps[\""
                + node.id()
                + "\"].output.choice == "
                + JsonNodeFactory.instance.textNode(String.valueOf(edge.get("label")));
      }
      if (when != null) {
        arm.add(entry("when", mark, text(mark, when)));
      }
      arms.add(new Located.Members(mark, arm));
    }
    boolean always =
        !choice
            && edges.stream()
                .anyMatch(
                    edge ->
                        edge.get("when") == null
                            && !"failure".equals(hasOutcome(edge) ? on(node, edge) : null));
    if (!always) {
      arms.add(new Located.Members(mark, List.of(entry("to", mark, text(mark, Arm.END)))));
    }
    return new Located.Items(mark, arms);
  }

  private static boolean isConditional(DotGraph.Edge edge, boolean choice) {
    return choice || edge.get("when") != null || hasOutcome(edge);
  }

  private static boolean hasOutcome(DotGraph.Edge edge) {
    return edge.get("on") != null || edge.get("condition") != null;
  }

  private int weight(DotGraph.Node node, DotGraph.Edge edge) {
    String weight = edge.get("weight");
    if (weight == null) {
      return 0;
    }
    try {
      return Integer.parseInt(weight.strip());
    } catch (NumberFormatException e) {
      problems.error(
          node.mark(),
          node.id(),
          "",
          "the weight '" + weight + "' of the edge to '" + edge.head() + "' is no number",
          "a whole number");
      return 0;
    }
  }

  private @Nullable String on(DotGraph.Node node, DotGraph.Edge edge) {
    String condition = edge.get("condition");
    if (condition == null) {
      return edge.get("on");
    }
    Matcher outcome = CONDITION.matcher(condition);
    if (!outcome.matches()) {
      problems.error(
          node.mark(),
          node.id(),
          "",
          "the condition '" + condition + "' of the edge to '" + edge.head() + "' is not known",
          "outcome=success, outcome=failure, or when=\"jq\"");
      return null;
    }
    return switch (outcome.group(1)) {
      case "fail", "failure" -> "failure";
      case "any" -> "any";
      default -> "success";
    };
  }

  private static boolean isStyle(String key) {
    return STYLE.matcher(key).matches();
  }

  private void unknown(Mark mark, @Nullable String step, String key, List<String> known) {
    problems.error(
        mark,
        step,
        "",
        "unknown attribute '" + key + "'" + Suggestions.didYouMean(key, known),
        String.join(", ", known.stream().sorted().toList()));
  }

  private static Located.Entry entry(String key, Mark mark, Located value) {
    return new Located.Entry(key, mark, value);
  }

  private static Located text(Mark mark, String text) {
    return new Located.Scalar(mark, JsonNodeFactory.instance.textNode(text), Located.Style.OTHER);
  }

  private static Located read(String key, Mark mark, String value) {
    return TEXTS.contains(key) ? text(mark, value) : value(mark, value);
  }

  /** JSON where it is that, else text. */
  private static Located value(Mark mark, @Nullable String text) {
    String given = text == null ? "" : text;
    if (!JSON.matcher(given).matches()) {
      return text(mark, given);
    }
    try {
      return moved(Located.of(Json.mapper().readTree(given)), mark);
    } catch (JsonProcessingException e) {
      return text(mark, given);
    }
  }

  private static Located moved(Located node, Mark mark) {
    return switch (node) {
      case Located.Scalar scalar -> new Located.Scalar(mark, scalar.value(), scalar.style());
      case Located.Items items ->
          new Located.Items(mark, items.items().stream().map(item -> moved(item, mark)).toList());
      case Located.Members members -> {
        Map<String, Located> moved = new LinkedHashMap<>();
        members.entries().forEach(entry -> moved.put(entry.key(), moved(entry.value(), mark)));
        yield new Located.Members(
            mark,
            moved.entrySet().stream().map(e -> entry(e.getKey(), mark, e.getValue())).toList());
      }
    };
  }
}
