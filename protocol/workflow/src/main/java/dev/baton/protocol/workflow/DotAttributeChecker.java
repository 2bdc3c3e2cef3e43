/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.workflow.DotGraph.Attribute;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks attributes that are not keys of a workflow. The drawing attributes of <a
 * href="https://graphviz.org/doc/info/attrs.html">Graphviz</a> are ignored; a name similar to a key
 * is an error, since it is probably a misspelled key; every other name is a warning.
 */
final class DotAttributeChecker {
  /** The kind of object that has the attribute. */
  enum Of {
    GRAPH("a graph"),
    NODE("a node"),
    EDGE("an edge");

    private final String shown;

    Of(String shown) {
      this.shown = shown;
    }
  }

  private static final Set<String> ALL =
      words(
          "URL class color colorscheme comment fontcolor fontname fontsize href id label layer"
              + " lp nojustify penwidth pos style target tooltip xlabel xlp");
  private static final Set<String> GRAPHS =
      words(
          "Damping K TBbalance _background area bb beautify bgcolor center charset cluster"
              + " clusterrank compound concentrate defaultdist dim dimen diredgeconstraints dpi"
              + " epsilon esep fillcolor fontnames fontpath forcelabels gradientangle imagepath"
              + " inputscale label_scheme labeljust labelloc landscape layerlistsep layers"
              + " layerselect layersep layout levels levelsgap lheight linelength lwidth margin"
              + " maxiter mclimit mindist mode model newrank nodesep normalize notranslate nslimit"
              + " nslimit1 oneblock ordering orientation outputorder overlap overlap_scaling"
              + " overlap_shrink pack packmode pad page pagedir pencolor peripheries quadtree"
              + " quantum rank rankdir ranksep ratio remincross repulsiveforce resolution root"
              + " rotate rotation scale searchsize sep showboxes size smoothing sortv splines"
              + " start stylesheet truecolor viewport voro_margin xdotversion");
  private static final Set<String> NODES =
      words(
          "area distortion fillcolor fixedsize gradientangle group height image imagepos"
              + " imagescale labelloc margin ordering orientation peripheries pin rects regular"
              + " root samplepoints shape shapefile showboxes sides skew sortv vertices width z");
  private static final Set<String> EDGES =
      words(
          "arrowhead arrowsize arrowtail constraint decorate dir edgeURL edgehref edgetarget"
              + " edgetooltip fillcolor headURL head_lp headclip headhref headlabel headport"
              + " headtarget headtooltip key labelURL labelangle labeldistance labelfloat"
              + " labelfontcolor labelfontname labelfontsize labelhref labeltarget labeltooltip"
              + " len lhead ltail minlen samehead sametail showboxes tailURL tail_lp tailclip"
              + " tailhref taillabel tailport tailtarget tailtooltip weight");

  private final DefinitionProblemCollector problems;
  private final Set<SourcePosition> said = new HashSet<>();

  DotAttributeChecker(DefinitionProblemCollector problems) {
    this.problems = problems;
  }

  private static Set<String> words(String words) {
    return Set.of(words.split(" "));
  }

  private static Set<String> drawing(Of of) {
    Set<String> names = new TreeSet<>(ALL);
    names.addAll(
        switch (of) {
          case GRAPH -> GRAPHS;
          case NODE -> NODES;
          case EDGE -> EDGES;
        });
    return names;
  }

  /**
   * Reports an attribute that is not a key.
   *
   * @param step the node that has it, if any
   * @param keys the keys that are allowed there
   */
  void check(Attribute attribute, Of of, @Nullable String step, Collection<String> keys) {
    String name = attribute.name().text();
    Set<String> drawing = drawing(of);
    if (drawing.contains(name) || !said.add(attribute.name().mark())) {
      return;
    }
    String near = SpellingSuggester.didYouMean(name.toLowerCase(Locale.ROOT), keys);
    if (!near.isEmpty()) {
      problems.error(
          attribute.name().mark(),
          step,
          "",
          "unknown attribute '" + name + "'" + near,
          String.join(", ", new TreeSet<>(keys)));
      return;
    }
    problems.warning(
        attribute.name().mark(),
        step,
        "",
        "the attribute '"
            + name
            + "' of "
            + of.shown
            + " has no effect"
            + SpellingSuggester.didYouMean(name, drawing));
  }

  /**
   * Reports an attribute that is a key elsewhere, and has no effect here.
   *
   * @param why for example {@code the node marks the start}
   */
  void misplaced(Attribute attribute, @Nullable String step, String why, String allowed) {
    if (!attribute.inherited() && said.add(attribute.name().mark())) {
      problems.error(
          attribute.name().mark(),
          step,
          "",
          why + ": '" + attribute.name().text() + "' would have no effect",
          allowed);
    }
  }

  /** Reports an HTML string where text or JSON is required; returns whether it is one. */
  boolean isMarkup(Attribute attribute, @Nullable String step) {
    if (!attribute.value().isHtml()) {
      return false;
    }
    String name = attribute.name().text();
    if (said.add(attribute.value().mark())) {
      if (List.of("label", "xlabel").contains(name)) {
        problems.warning(
            attribute.value().mark(),
            step,
            "",
            "the HTML string of '" + name + "' has no effect: it is markup for drawing, not text");
      } else {
        problems.error(
            attribute.value().mark(),
            step,
            "",
            "the value of '" + name + "' is an HTML string",
            "\"text in quotes\"");
      }
    }
    return true;
  }
}
