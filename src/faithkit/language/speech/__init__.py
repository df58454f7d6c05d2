"""Who says what: in chats, transcripts, subtitles, letters, quotations and stories."""
