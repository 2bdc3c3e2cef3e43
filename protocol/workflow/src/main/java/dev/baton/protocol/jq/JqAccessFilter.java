/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Filters that access a part of a value: by a key, a slice, or all elements. */
final class JqAccessFilter {
  /** Maximum bytes of a value in an error message, as in jq. */
  static final int SHOWN = 14;

  private JqAccessFilter() {}

  /** {@code t[k]}: for each key, for each target. */
  static final class Index extends JqFilter {
    private final JqFilter target;
    private final JqFilter key;

    Index(JqFilter target, JqFilter key) {
      super(true, target, key);
      this.target = target;
      this.key = key;
    }

    @Override
    JsonNode one(JqEvaluator m, @Nullable JqEnvironment env, JsonNode in) {
      m.tick();
      JsonNode k = key.one(m, env, in);
      return JqPathAccessor.get(m, target.one(m, env, in), k);
    }

    @Override
    void run(JqEvaluator m) {
      if (key.simple) {
        JsonNode k = key.one(m, m.env, m.in);
        m.goTo(target, m.env, m.in, m.path, at(m, m.next, k));
      } else {
        JqFrame frame = JqFrame.of(m);
        JqContinuation then =
            frame.then(
                () ->
                    m.goTo(
                        target, frame.env(), frame.in(), frame.path(), at(m, frame.next(), m.in)));
        m.goTo(key, m.env, m.in, null, then);
      }
    }
  }

  private static JqContinuation at(JqEvaluator m, @Nullable JqContinuation next, JsonNode key) {
    return JqContinuation.of(
        next,
        () -> {
          m.next = next;
          enter(m, key);
        },
        key);
  }

  private static void enter(JqEvaluator m, JsonNode key) {
    JqPath path = m.path;
    if (path == JqPath.NONE) {
      throw new JqException(
          "Invalid path expression near attempt to access element "
              + JqJsonWriter.shortened(key, SHOWN)
              + " of "
              + JqJsonWriter.shortened(m.in, SHOWN));
    }
    m.give(JqPathAccessor.get(m, m.in, key), path == null ? null : path.then(key));
  }

  /** {@code getpath($keys)}, which may pass through null. */
  static final class GetPath extends JqFilter {
    private final JqFilter keys;

    GetPath(JqFilter keys) {
      super(false, keys);
      this.keys = keys;
    }

    @Override
    void run(JqEvaluator m) {
      JqFrame frame = JqFrame.of(m);
      m.goTo(keys, m.env, m.in, null, frame.then(() -> go(m, frame)));
    }

    private static void go(JqEvaluator m, JqFrame frame) {
      JsonNode found = JqPathAccessor.getPath(m, frame.in(), m.in);
      JqPath way = frame.path();
      if (way == JqPath.NONE) {
        throw new JqException(
            "Invalid path expression near attempt to access element "
                + JqJsonWriter.shortened(m.in, SHOWN)
                + " of "
                + JqJsonWriter.shortened(frame.in(), SHOWN));
      }
      if (way != null) {
        for (JsonNode key : m.in) {
          way = way.then(key);
        }
      }
      m.next = frame.next();
      m.give(found, way);
    }
  }

  /** {@code t[]}. */
  static final class Each extends JqFilter {
    private final JqFilter target;

    Each(JqFilter target) {
      super(false, target);
      this.target = target;
    }

    @Override
    void run(JqEvaluator m) {
      JqContinuation next = m.next;
      m.goTo(target, m.env, m.in, m.path, JqContinuation.of(next, () -> elements(m, next)));
    }
  }

  private static void elements(JqEvaluator m, @Nullable JqContinuation next) {
    JsonNode all = m.in;
    if (!all.isContainerNode()) {
      throw new JqException(
          "Cannot iterate over "
              + JqTypeSystem.type(all)
              + (all.isNull() ? "" : " (" + JqJsonWriter.shortened(all, SHOWN) + ")"));
    }
    JqPath path = m.path;
    if (path == JqPath.NONE) {
      throw new JqException(
          "Invalid path expression near attempt to iterate through "
              + JqJsonWriter.shortened(all, SHOWN));
    }
    new NextElementChoicePoint(m, all, path, next).resume();
  }

  private static final class NextElementChoicePoint extends JqChoicePoint {
    private final JqEvaluator m;
    private final JsonNode all;
    private final @Nullable JqPath path;
    private final @Nullable JqContinuation next;
    private final @Nullable Iterator<String> names;
    private final @Nullable Iterator<JsonNode> members;
    private int index;

    NextElementChoicePoint(
        JqEvaluator m, JsonNode all, @Nullable JqPath path, @Nullable JqContinuation next) {
      this.m = m;
      this.all = all;
      this.path = path;
      this.next = next;
      this.names = all.isObject() && path != null ? all.fieldNames() : null;
      this.members = all.isObject() ? all.elements() : null;
    }

    @Override
    void resume() {
      JsonNode element;
      JsonNode key = JqEvaluator.NULL;
      boolean more;
      if (members == null) {
        if (index >= all.size()) {
          m.backtrack();
          return;
        }
        element = all.get(index);
        key = path == null ? key : JqArithmetic.of(index);
        index++;
        more = index < all.size();
      } else {
        if (!members.hasNext()) {
          m.backtrack();
          return;
        }
        element = members.next();
        key = names == null ? key : JqTypeSystem.text(names.next());
        more = members.hasNext();
      }
      if (more) {
        m.push(this);
      }
      m.next = next;
      m.give(element, path == null ? null : path.then(key));
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      super.trace(live);
      live.addAll(all, path, next);
    }
  }
}
