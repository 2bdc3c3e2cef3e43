/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.doctor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The result of one check.
 *
 * @param found the state that was found
 * @param fix what to do about a problem; null where there is none
 */
record CheckResult(String name, String found, @Nullable String fix) {
  static CheckResult ok(String name, String found) {
    return new CheckResult(name, found, null);
  }

  static CheckResult problem(String name, String found, String fix) {
    return new CheckResult(name, found, fix);
  }

  boolean isOk() {
    return fix == null;
  }

  ObjectNode json() {
    ObjectNode node = Json.mapper().createObjectNode();
    node.put("name", name);
    node.put("ok", isOk());
    node.put("found", found);
    if (fix != null) {
      node.put("fix", fix);
    }
    return node;
  }
}
