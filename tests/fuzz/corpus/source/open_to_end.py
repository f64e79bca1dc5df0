def:"""
