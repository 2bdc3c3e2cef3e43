/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.protocol.jq.JqRegexLibrary.Found;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code sub} and {@code gsub}: evaluates the replacement on the named groups of each match. The
 * n-th result consists of the n-th results of the replacement.
 */
final class JqSubstituteFilter extends JqFilter {
  private final JqFilter search;
  private final JqFilter replacement;

  JqSubstituteFilter(JqFilter pattern, JqFilter replacement, JqFilter flags) {
    super(false, pattern, replacement, flags);
    this.search =
        new JqNativeCallFilter(
            (m, in, a) -> JqTypeSystem.array(2).add(a[0]).add(a[1]),
            List.of(pattern, flags),
            false);
    this.replacement = new JqControlFilter.Collect(replacement);
  }

  @Override
  void run(JqEvaluator m) {
    JqFrame frame = JqFrame.of(m);
    m.goTo(search, m.env, m.in, null, frame.then(() -> begin(m, frame)));
  }

  private void begin(JqEvaluator m, JqFrame frame) {
    String text = JqRegexLibrary.text(frame.in());
    List<Found> found =
        JqRegexLibrary.matches(m, text, JqRegexLibrary.search(m.in.get(0), m.in.get(1)));
    new ReplacementContinuation(m, frame, text, found, 0, List.of()).proceed();
  }

  /** Continues between two matches. */
  private final class ReplacementContinuation extends JqContinuation {
    private final JqEvaluator m;
    private final JqFrame frame;
    private final String text;
    private final List<Found> found;
    private final int index;

    /** The text up to this match, for each result. */
    private final List<StringBuilder> results;

    ReplacementContinuation(
        JqEvaluator m,
        JqFrame frame,
        String text,
        List<Found> found,
        int index,
        List<StringBuilder> results) {
      super(frame.next());
      this.m = m;
      this.frame = frame;
      this.text = text;
      this.found = found;
      this.index = index;
      this.results = results;
    }

    void proceed() {
      if (index < found.size()) {
        JsonNode named = JqRegexLibrary.named(m, found.get(index));
        m.goTo(replacement, frame.env(), named, null, this);
        return;
      }
      int from = end(index);
      ArrayNode all = JqTypeSystem.array();
      for (StringBuilder result : results) {
        m.charge(2L * (text.length() - from) + 4L * result.length());
        all.add(result.append(text, from, text.length()).toString());
      }
      if (results.isEmpty()) {
        all.add(text);
      }
      boolean tracking = frame.path() != null;
      JqContinuation emit =
          JqContinuation.of(
              next,
              () -> {
                m.next = next;
                m.give(m.in, tracking ? JqPath.NONE : null);
              });
      m.goTo(EACH, null, all, null, emit);
    }

    private int end(int before) {
      return before == 0 ? 0 : found.get(before - 1).parts().getFirst().to();
    }

    @Override
    void accept() {
      int from = end(index);
      int to = found.get(index).parts().getFirst().from();
      List<StringBuilder> more = new ArrayList<>(results);
      for (int i = 0; i < m.in.size(); i++) {
        JsonNode insert = m.in.get(i);
        if (!insert.isTextual()) {
          throw new JqException(
              JqOperatorLibrary.shown(JqTypeSystem.text(text.substring(from, to)))
                  + " and "
                  + JqOperatorLibrary.shown(insert)
                  + " cannot be added");
        }
        if (i == more.size()) {
          more.add(new StringBuilder());
        }
        m.charge(2L * (to - from + insert.textValue().length()));
        more.get(i).append(text, from, to).append(insert.textValue());
      }
      new ReplacementContinuation(m, frame, text, found, index + 1, more).proceed();
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      super.trace(live);
      live.add(frame);
      results.forEach(result -> live.bytes(2L * result.length()));
    }
  }

  private static final JqFilter EACH = new JqAccessFilter.Each(new JqFlowFilter.Identity());
}
