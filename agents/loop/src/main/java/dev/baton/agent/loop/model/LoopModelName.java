/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.model;

/**
 * The model of a loop, and the form in which it is called.
 *
 * @param name of the model at its endpoint
 */
public record LoopModelName(ModelForm form, String name) {
  /** The forms that LangChain4j speaks to the gateway. */
  public enum ModelForm {
    ANTHROPIC_MESSAGES("anthropic-messages"),
    OPENAI_CHAT("openai-chat");

    private final String id;

    ModelForm(String id) {
      this.id = id;
    }

    /** The configuration id of the gateway. */
    public String id() {
      return id;
    }
  }

  /**
   * Reads {@code claude-sonnet-4-5}, or {@code openai-chat:NAME} with the id of a form. Without a
   * form, names that begin with {@code claude} are called as Anthropic Messages, others as OpenAI
   * Chat Completions.
   */
  public static LoopModelName parse(String text) {
    for (ModelForm form : ModelForm.values()) {
      if (text.startsWith(form.id() + ":")) {
        return new LoopModelName(form, text.substring(form.id().length() + 1));
      }
    }
    return new LoopModelName(
        text.startsWith("claude") ? ModelForm.ANTHROPIC_MESSAGES : ModelForm.OPENAI_CHAT, text);
  }
}
