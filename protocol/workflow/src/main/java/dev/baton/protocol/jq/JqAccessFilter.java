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
        m.goTo(target, m.env, m.in, m.path, new At(m.next, k));
      } else {
        m.goTo(key, m.env, m.in, null, new Key(m, target));
      }
    }
  }

  private static final class Key extends JqFlowFilter.Resumable {
    private final JqFilter target;

    Key(JqEvaluator m, JqFilter target) {
      super(m);
      this.target = target;
    }

    @Override
    void accept(JqEvaluator m) {
      m.goTo(target, env, in, path, new At(next, m.in));
    }
  }

  private static final class At extends JqContinuation {
    private final JsonNode key;

    At(@Nullable JqContinuation next, JsonNode key) {
      super(next);
      this.key = key;
    }

    @Override
    void accept(JqEvaluator m) {
      m.next = next;
      enter(m, key);
    }

    @Override
    public void trace(JqMemoryEstimator live) {
      super.trace(live);
      live.add(key);
    }
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
      m.goTo(keys, m.env, m.in, null, new Go(m));
    }

    private static final class Go extends JqFlowFilter.Resumable {
      Go(JqEvaluator m) {
        super(m);
      }

      @Override
      void accept(JqEvaluator m) {
        JsonNode found = JqPathAccessor.getPath(m, in, m.in);
        JqPath way = path;
        if (way == JqPath.NONE) {
          throw new JqException(
              "Invalid path expression near attempt to access element "
                  + JqJsonWriter.shortened(m.in, SHOWN)
                  + " of "
                  + JqJsonWriter.shortened(in, SHOWN));
        }
        if (way != null) {
          for (JsonNode key : m.in) {
            way = way.then(key);
          }
        }
        m.next = next;
        m.give(found, way);
      }
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
      m.goTo(target, m.env, m.in, m.path, new Elements(m.next));
    }
  }

  private static final class Elements extends JqContinuation {
    Elements(@Nullable JqContinuation next) {
      super(next);
    }

    @Override
    void accept(JqEvaluator m) {
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
      new NextElementChoicePoint(all, path, next).resume(m);
    }
  }

  private static final class NextElementChoicePoint extends JqChoicePoint {
    private final JsonNode all;
    private final @Nullable JqPath path;
    private final @Nullable JqContinuation next;
    private final @Nullable Iterator<String> names;
    private final @Nullable Iterator<JsonNode> members;
    private int index;

    NextElementChoicePoint(JsonNode all, @Nullable JqPath path, @Nullable JqContinuation next) {
      this.all = all;
      this.path = path;
      this.next = next;
      this.names = all.isObject() && path != null ? all.fieldNames() : null;
      this.members = all.isObject() ? all.elements() : null;
    }

    @Override
    void resume(JqEvaluator m) {
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
      live.add(all);
      live.add(path);
      live.add(next);
    }
  }
}
