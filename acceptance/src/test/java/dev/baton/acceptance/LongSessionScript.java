/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answers of a session with thirty tool calls: commands, edits, three answers with parallel
 * calls, a plan, an image, a sub-agent, and two calls of an MCP server.
 *
 * @param tools by which the agent does them
 */
record LongSessionScript(SessionTools tools) {
  /** Tool calls of the session, with those of the sub-agent. */
  static final int CALLS = 30;

  /** The prompt of the step. */
  static final String PROMPT = "work through the long list";

  /** The prompt of the sub-agent. */
  static final String ERRAND = "run the errand";

  /** Lines that the commands of the session append, in the order of the answers. */
  static final List<String> LINES = words("a b c d e f g h i j k l m n o p q r s");

  /** Lines that the sub-agent appends. */
  static final List<String> ERRAND_LINES = words("x y");

  /** The calls in the form of one agent. */
  interface SessionTools {
    ReplyPart command(String line);

    /** Creates {@code notes.txt} with {@code hello}. */
    ReplyPart create();

    /** Replaces a word of {@code notes.txt}. */
    ReplyPart replace(String old, String by);

    ReplyPart plan();

    /** Looks at {@code pixel.png}. */
    ReplyPart image();

    /** Calls {@code add} of the server {@code count}. */
    ReplyPart add(int n);

    /** Starts a sub-agent with a prompt. */
    ReplyPart errand(String prompt);

    /**
     * Waits for the sub-agent, where the call that starts it does not.
     *
     * @param request contains the result of that call
     */
    default Optional<ReplyPart> awaitErrand(ScriptedRequest request) {
      return Optional.empty();
    }
  }

  private static List<String> words(String text) {
    return List.of(text.split(" "));
  }

  /** The answers of the main conversation, as far as they follow from a request. */
  private List<ScriptedReply> main(ScriptedRequest request) {
    List<ScriptedReply> answers = new ArrayList<>();
    answers.add(answer(line(0)));
    answers.add(answer(line(1), line(2)));
    answers.add(answer(tools.create()));
    answers.add(answer(tools.replace("hello", "world"), line(3)));
    answers.add(answer(tools.plan()));
    answers.add(answer(tools.add(1)));
    answers.add(answer(tools.image()));
    answers.add(answer(tools.errand(ERRAND)));
    tools.awaitErrand(request).ifPresent(call -> answers.add(answer(call)));
    answers.add(answer(line(4), line(5), line(6)));
    answers.add(answer(tools.replace("world", "planet")));
    answers.add(answer(tools.add(2)));
    for (int i = 7; i < LINES.size(); i++) {
      answers.add(answer(line(i)));
    }
    answers.add(answer(tools.replace("planet", "earth")));
    answers.add(ScriptedReply.text("all done"));
    return answers;
  }

  /** The answers of the sub-agent. */
  private List<ScriptedReply> errand() {
    List<ScriptedReply> answers = new ArrayList<>();
    ERRAND_LINES.forEach(line -> answers.add(answer(tools.command(line))));
    answers.add(ScriptedReply.text("errand done"));
    return answers;
  }

  private ReplyPart line(int index) {
    return tools.command(LINES.get(index));
  }

  private static ScriptedReply answer(ReplyPart... calls) {
    ScriptedReply answer = ScriptedReply.text("next");
    for (ReplyPart call : calls) {
      answer = answer.with(call);
    }
    return answer.slowly(Duration.ofMillis(10));
  }

  /** Whether a request is of the session, and not for a title. */
  static boolean isOfTheWork(ScriptedRequest request) {
    return !request.body().path("tools").isEmpty();
  }

  /** Answers a request of the main conversation or of the sub-agent. */
  ScriptedReply reply(ScriptedRequest request) {
    if (!isOfTheWork(request)) {
      return ScriptedReply.text("{\"title\": \"A title\"}");
    }
    List<ScriptedReply> answers =
        request.body().toString().contains(PROMPT) ? main(request) : errand();
    return answers.get(Math.min(turn(request), answers.size() - 1));
  }

  /** Without the answers that Claude Code puts before a prompt that continues a turn. */
  private static int turn(ScriptedRequest request) {
    int turn = request.turn();
    for (JsonNode message : request.body().path("messages")) {
      turn -= message.path("content").toString().contains("No response requested.") ? 1 : 0;
    }
    return turn;
  }
}
