/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Writes scripted answers in one form. Implementations have no state. */
interface ReplyRenderer {
  /** The answer without streaming. */
  ObjectNode whole(ScriptedRequest request, ScriptedReply reply);

  /** The answer as events, each with its closing empty line. */
  List<String> stream(ScriptedRequest request, ScriptedReply reply);

  /** The body of an error. */
  ObjectNode error(String message);

  /** An error in a stream. */
  String errorEvent();
}
