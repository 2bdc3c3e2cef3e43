/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Caches the most recently used expressions. Thread-safe. Two threads may compile the same text at
 * once; both results are valid.
 */
final class ExpressionCache {
  static final int SIZE = 2_048;

  private final Map<String, Expression> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Expression> eldest) {
          return size() > SIZE;
        }
      };

  Expression get(String text, Function<String, Expression> compile) {
    Expression known = find(text);
    if (known != null) {
      return known;
    }
    Expression compiled = compile.apply(text);
    synchronized (this) {
      entries.put(text, compiled);
    }
    return compiled;
  }

  private synchronized @Nullable Expression find(String text) {
    return entries.get(text);
  }
}
