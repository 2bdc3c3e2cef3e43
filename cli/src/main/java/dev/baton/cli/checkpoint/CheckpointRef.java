/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.RunId;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint as typed: its id, or at least six of its last characters.
 *
 * @param project the project in which a short id is resolved; null: {@code default}
 */
record CheckpointRef(String text, @Nullable String project) {
  private static final Pattern END = Pattern.compile("[0-9a-hjkmnp-tv-z]{6,25}");

  /**
   * @throws CliException when the text is neither
   */
  static CheckpointRef parse(String text, @Nullable String project) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (!RunId.isValid(lower) && !END.matcher(lower).matches()) {
      throw CliException.usage(
          ("'%s' is not a checkpoint id: give all 26 characters, or the last six or more as"
                  + " `baton checkpoint list` shows them")
              .formatted(TextShortener.shorten(text, 64)));
    }
    return new CheckpointRef(lower, project);
  }

  /**
   * @param below empty, or the rest of the path after the checkpoint: {@code /pin}
   */
  String path(String below) {
    return UrlQueryBuilder.of("/checkpoints/" + text + below).with("project", project).toString();
  }
}
