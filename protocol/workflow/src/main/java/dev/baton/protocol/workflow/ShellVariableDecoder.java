/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Template;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Decodes the variables of shell steps: {@code env} of a step, and of the defaults. */
final class ShellVariableDecoder {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

  /** Prefix of the runner's own variables. */
  private static final String RESERVED = "BATON_";

  private ShellVariableDecoder() {}

  /** Returns the variables of {@code env}, sorted by name; reports each invalid name. */
  static Map<String, Template> decode(MappingFieldReader fields, DefinitionValueDecoder values) {
    Optional<DefinitionCursor> place = fields.get("env");
    if (place.isPresent() && place.get().node() instanceof LocatedNode.Members members) {
      for (LocatedNode.Entry entry : members.entries()) {
        String name = entry.key();
        if (!NAME.matcher(name).matches() || name.startsWith(RESERVED)) {
          values
              .problems()
              .error(
                  place.get().member(name, entry.value()),
                  "'" + name + "' cannot be a variable's name",
                  NAME.pattern() + ", not beginning with " + RESERVED);
        }
      }
    }
    return fields.templates("env", "names and values");
  }
}
