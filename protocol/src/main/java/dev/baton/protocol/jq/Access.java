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

/** The filters that go into a value: by a key, a slice, or to all of its elements. */
final class Access {
  /** Bytes of a value in an error, as in jq. */
  static final int SHOWN = 14;

  private Access() {}

  /** {@code t[k]}: for each key, for each target. */
  static final class Index extends Node {
    private final Node target;
    private final Node key;

    Index(Node target, Node key) {
      super(true, target, key);
      this.target = target;
      this.key = key;
    }

    @Override
    JsonNode one(Machine m, @Nullable Env env, JsonNode in) {
      m.tick();
      JsonNode k = key.one(m, env, in);
      return PathValues.get(m, target.one(m, env, in), k);
    }

    @Override
    void run(Machine m) {
      if (key.simple) {
        JsonNode k = key.one(m, m.env, m.in);
        m.goTo(target, m.env, m.in, m.path, new At(m.next, k));
      } else {
        m.goTo(key, m.env, m.in, null, new Key(m, target));
      }
    }
  }

  private static final class Key extends Flow.Resumable {
    private final Node target;

    Key(Machine m, Node target) {
      super(m);
      this.target = target;
    }

    @Override
    void accept(Machine m) {
      m.goTo(target, env, in, path, new At(next, m.in));
    }
  }

  private static final class At extends Cont {
    private final JsonNode key;

    At(@Nullable Cont next, JsonNode key) {
      super(next);
      this.key = key;
    }

    @Override
    void accept(Machine m) {
      m.next = next;
      enter(m, key);
    }

    @Override
    public void trace(LiveBytes live) {
      super.trace(live);
      live.add(key);
    }
  }

  private static void enter(Machine m, JsonNode key) {
    Path path = m.path;
    if (path == Path.NONE) {
      throw new JqError(
          "Invalid path expression near attempt to access element "
              + JsonText.shortened(key, SHOWN)
              + " of "
              + JsonText.shortened(m.in, SHOWN));
    }
    m.give(PathValues.get(m, m.in, key), path == null ? null : path.then(key));
  }

  /** {@code getpath($keys)}, which may go through null. */
  static final class GetPath extends Node {
    private final Node keys;

    GetPath(Node keys) {
      super(false, keys);
      this.keys = keys;
    }

    @Override
    void run(Machine m) {
      m.goTo(keys, m.env, m.in, null, new Go(m));
    }

    private static final class Go extends Flow.Resumable {
      Go(Machine m) {
        super(m);
      }

      @Override
      void accept(Machine m) {
        JsonNode found = PathValues.getPath(m, in, m.in);
        Path way = path;
        if (way == Path.NONE) {
          throw new JqError(
              "Invalid path expression near attempt to access element "
                  + JsonText.shortened(m.in, SHOWN)
                  + " of "
                  + JsonText.shortened(in, SHOWN));
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
  static final class Each extends Node {
    private final Node target;

    Each(Node target) {
      super(false, target);
      this.target = target;
    }

    @Override
    void run(Machine m) {
      m.goTo(target, m.env, m.in, m.path, new Elements(m.next));
    }
  }

  private static final class Elements extends Cont {
    Elements(@Nullable Cont next) {
      super(next);
    }

    @Override
    void accept(Machine m) {
      JsonNode all = m.in;
      if (!all.isContainerNode()) {
        throw new JqError(
            "Cannot iterate over "
                + Values.type(all)
                + (all.isNull() ? "" : " (" + JsonText.shortened(all, SHOWN) + ")"));
      }
      Path path = m.path;
      if (path == Path.NONE) {
        throw new JqError(
            "Invalid path expression near attempt to iterate through "
                + JsonText.shortened(all, SHOWN));
      }
      new Following(all, path, next).resume(m);
    }
  }

  private static final class Following extends Fork {
    private final JsonNode all;
    private final @Nullable Path path;
    private final @Nullable Cont next;
    private final @Nullable Iterator<String> names;
    private final @Nullable Iterator<JsonNode> members;
    private int index;

    Following(JsonNode all, @Nullable Path path, @Nullable Cont next) {
      this.all = all;
      this.path = path;
      this.next = next;
      this.names = all.isObject() && path != null ? all.fieldNames() : null;
      this.members = all.isObject() ? all.elements() : null;
    }

    @Override
    void resume(Machine m) {
      JsonNode element;
      JsonNode key = Machine.NULL;
      boolean more;
      if (members == null) {
        if (index >= all.size()) {
          m.backtrack();
          return;
        }
        element = all.get(index);
        key = path == null ? key : Numbers.of(index);
        index++;
        more = index < all.size();
      } else {
        if (!members.hasNext()) {
          m.backtrack();
          return;
        }
        element = members.next();
        key = names == null ? key : Values.text(names.next());
        more = members.hasNext();
      }
      if (more) {
        m.push(this);
      }
      m.next = next;
      m.give(element, path == null ? null : path.then(key));
    }

    @Override
    public void trace(LiveBytes live) {
      super.trace(live);
      live.add(all);
      live.add(path);
      live.add(next);
    }
  }
}
