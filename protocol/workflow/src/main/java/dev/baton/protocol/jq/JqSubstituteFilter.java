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
    m.goTo(search, m.env, m.in, null, new Begin(m, this));
  }

  private static final class Begin extends JqFlowFilter.Resumable {
    private final JqSubstituteFilter substitute;

    Begin(JqEvaluator m, JqSubstituteFilter substitute) {
      super(m);
      this.substitute = substitute;
    }

    @Override
    void accept(JqEvaluator m) {
      String text = JqRegexLibrary.text(in);
      List<Found> found =
          JqRegexLibrary.matches(m, text, JqRegexLibrary.search(m.in.get(0), m.in.get(1)));
      new ReplacementContinuation(this, text, found, 0, List.of()).proceed(m);
    }
  }

  /** Continues between two matches. */
  private static final class ReplacementContinuation extends JqContinuation {
    private final Begin begin;
    private final String text;
    private final List<Found> found;
    private final int index;

    /** The text up to this match, for each result. */
    private final List<StringBuilder> results;

    ReplacementContinuation(
        Begin begin, String text, List<Found> found, int index, List<StringBuilder> results) {
      super(begin.next);
      this.begin = begin;
      this.text = text;
      this.found = found;
      this.index = index;
      this.results = results;
    }

    void proceed(JqEvaluator m) {
      if (index < found.size()) {
        JsonNode named = JqRegexLibrary.named(m, found.get(index));
        m.goTo(begin.substitute.replacement, begin.env, named, null, this);
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
      m.goTo(EACH, null, all, null, new Emit(m, begin));
    }

    private int end(int before) {
      return before == 0 ? 0 : found.get(before - 1).parts().getFirst().to();
    }

    @Override
    void accept(JqEvaluator m) {
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
      new ReplacementContinuation(begin, text, found, index + 1, more).proceed(m);
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      super.trace(live);
      live.add(begin);
      results.forEach(result -> live.bytes(2L * result.length()));
    }
  }

  private static final JqFilter EACH = new JqAccessFilter.Each(new JqFlowFilter.Identity());

  private static final class Emit extends JqContinuation {
    private final boolean tracking;

    Emit(JqEvaluator m, Begin begin) {
      super(begin.next);
      this.tracking = begin.path != null;
    }

    @Override
    void accept(JqEvaluator m) {
      m.next = next;
      m.give(m.in, tracking ? JqPath.NONE : null);
    }
  }
}
